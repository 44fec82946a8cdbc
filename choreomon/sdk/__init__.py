"""What a service uses to tell its agent of events, and to carry clocks with messages."""

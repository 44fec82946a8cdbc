"""What should happen: interactions (sequence diagrams as terms) and their semantics."""

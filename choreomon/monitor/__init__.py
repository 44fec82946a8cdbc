"""One monitor as a state machine: `step(state, clock, input) -> (state, clock, effects)`.

pull        the monitor of the paper, Algorithms 1 to 3
setup       what a monitor is made of and never changes
state       what it remembers, and what it is stepped with
effects     what a step asks its driver to do
messages    what monitors say to each other
host        the monitor with the clock of its process: what simulators and agents drive
rights      what another monitor may say, and what is refused
answering   when to answer an inquiry, and with what
judging     what becomes of an inspection when answers arrive
rules       how to judge: `sound`, and `paper` to the letter
history     what fired when, and what of it to keep
gaps        stretches of which it is not told, and what they count as
unseen      they open, and end with a word about what nobody saw
provisional the word at a deadline, while answers are missing
giving_up   the last word without them
waiting     who waits for whom, so that the one that is dead can be named
repeating   inquiries that are made again
joint       one word about an event that labels several final transitions
push        the strategy push: tell the readers, and judge anew at their news
central     the strategy central: one monitor that is told of every labelled event
gathering   judging again and again: what push and central share
"""

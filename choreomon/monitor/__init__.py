"""One monitor as a state machine: `step(state, clock, input) -> (state, clock, effects)`.

pull        the monitor of the paper, Algorithms 1 to 3
setup       what a monitor is made of and never changes
state       what it remembers, and what it is stepped with
effects     what a step asks its driver to do
messages    what monitors say to each other
answering   when to answer an inquiry, and with what
rules       how to judge: `sound`, and `paper` to the letter
history     what fired when, and what of it to keep
provisional the word at a deadline, while answers are missing
joint       one word about an event that labels several final transitions
push        the strategy push: tell the readers, and judge anew at their news
central     the strategy central: one monitor that is told of every labelled event
gathering   judging again and again: what push and central share
"""

"""Logs of 70 to 100,000 actions, in steps of two: does anything change with the length alone?

    python -m benchmarks.middle [--jobs N] [--shard K/N] [--answers FILE] [--write FILE]
                                [--most 100000] [--budget SECONDS] [--memory MB] [--seed N]
                                [--only TEXT] [--keep-asking] [--list]

**Interactions**: the orders of docs/verify.md, the published models, and 30 random ones of the
removal paper, all of tests/data/offline. Of those without loops there are no long traces; they are
left out where theirs end.

**Walks** (`corpora`): of each interaction one global trace at random (`random`), and one that goes
one short circle again and again (`repeat`), both cut to so many actions, each time with the
shortest way to where it may stop.

**Logs**: as one clock saw it (`one`), as pairs of lifelines did (`pairs`), or each lifeline alone
(`each`); complete, early (each log ends somewhere in its last eighth), late (it begins somewhere in
its first eighth, too), and wrong (two neighbours in one log swapped). Where logs are cut is drawn
once for all lengths, as a share of them, so that a longer log is one of the same kind.

**Modes**: accept, prefix, multiprefix and slice at every length. `test` and `simulate` are defined
by a search that grows exponentially with the length, so they are asked about short logs
only, and told of apart (`corpora.SEARCHED`).

Each interaction and walk has a child process (`asking`) with a limit of memory; each question is
decided afresh, within a budget of the processor's time, and undecided where it takes longer or the
memory is not enough. A question that was not decided is not asked at greater lengths, and counted
as undecided there, with the time that it took; `--keep-asking` asks it all the same, and so sees
whether longer logs are decided where shorter ones were not. What kills the child makes that one
question undecided, and another child goes on.

`--shard K/N` is every N-th interaction and walk, from the K-th on. `--answers FILE` keeps what was
answered, one line each: what is in it already is not asked again, and files of several shards in
one (`cat`) give one table.
"""

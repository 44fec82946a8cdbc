"""The experiments of the removal, slices and automata papers, as functions of data, a clock and
random numbers.

    cases             multi-traces of one interaction with known answers; fresh ones
    multiprefix       the removal paper, section 6: graph sizes and analysis times, by reductions
    slices            the slices paper, section 5.5: slices and mutants, decided and simulated
    models            the two interactions of the latter
    procedures        the automata paper, section 5: its procedures, by kind of multi-trace
    procedure_traces  multi-traces that are right, or wrong in one of three ways
    deadline          budgets of single analyses
    statistics        quartiles and the like

Tables are values here. `choreomon.render.experiment_plots` draws, `choreomon experiment` runs.
"""

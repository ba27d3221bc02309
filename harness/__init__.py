"""kernel x level x workload -> record: detects, verifies, measures, records, compares and draws.

Data flows one way:

    system, cpu, microarchitectures     what this machine is
    probes                              what its instructions cost
    workloads, epd                      what is timed
    workers, leaves                     work in threads; the leaves of one position
    verify, suites, boards              whether a kernel is right
    binary, audit                       what its compiled code consists of
    notation, uci                       moves as text, and a conversation about them
    session, launches, measure          a run, its processes, and the timing in each
    warnings                            what may have spoilt it
    files, fields, journal, records     the record: one JSON file, and what it does not hold yet
    count, counted                      instructions under valgrind, and the process counted
    loops, model, published             estimates for CPUs that are not here; what others measured
    stats, figures, tables, charts/     what a record says
    compare, recommend, exchange        what several say; which kernel to use; other programs' formats
    calibrate                           whether verdicts can be trusted
    report/                             all of it as a static site
    cluster                             runs and perft on other computers
    cli, verbs/                         the command line, one file for each verb
"""

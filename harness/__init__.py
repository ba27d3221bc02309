"""kernel x level x workload -> record: detects, verifies, measures, records, compares and draws.

Data flows one way:

    system, cpu, microarchitectures     what this machine is
    probes                              what its instructions cost
    workloads, epd                      what is timed
    verify, suites, workers, boards     whether a kernel is right
    notation, uci                       moves as text, and a conversation about them
    measure                             timing
    records                             the record, one JSON file
    published                           what others measured
    loops, model                        estimates for CPUs that are not here
    stats, figures, tables, charts/     what a record says
    report/                             all of it as a static site
    cluster                             runs and perft on other computers
    cli, verbs/                         the command line, one file for each verb
"""

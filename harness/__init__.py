"""kernel x level x workload -> record: detects, verifies, measures, records, compares and draws.

Data flows one way:

    system, cpu, microarchitectures     what this machine is
    workloads, epd                      what is timed
    verify, suites, workers, boards     whether a kernel is right
    notation, uci                       moves as text, and a conversation about them
    measure                             timing
    records                             the record, one JSON file
    stats, tables, charts               what a record says
    cli, verbs/                         the command line, one file for each verb
"""

"""Figures of a run: from its records to numbers with intervals, and to decisions about gates.

How to use it, from a worker or a command:

    asked = asked_of(parsed, path, folder)     # figures.asked: the suite; no numpy
    tables = Tables()                          # figures.table: no numpy
    tables.add(record)                         # each record as it arrives, and resumed ones first
    decisions = decide(tables, asked)          # figures.deciding: imports numpy; call it at the end

    found = run_figures(tables, asked, results.name)       # figures.run_figures: figures and decisions
    write_figures(results, found)              # figures.figures_file: RESULTS.figures.jsonl; no numpy
    read_figures(results)                      # for the editor, the report; None if there are none

`decide(tables, asked, baseline)` returns a `Decision` for each gate and target, in the order of the
suite; none if the suite has no gates. It never raises for what a suite or a record says; `Tables.add`
raises `UnusableScoreError` for scores that Suitecase does not write. `exit_code_of(decisions)` is the one
rule for exit codes: 0, 1, 3, and 2 for no gates. `Decision.to_json()` and `Decision.from_json()`
(figures.decision, standard library) carry decisions between processes and into `RESULTS.figures.jsonl`
(figures.figures_file, standard library), from which an editor reads them.

Decisions hold for a whole run: of a run in which a case of the suite has no record, every gate is
undecided that is about answers. Gates on people's labels and on calibrations are decided always;
`decide_from_files(asked)` decides these alone, without a run. Who runs a chosen part on purpose should not call `decide` at all.

| module | subject | imports numpy |
|---|---|---|
| asked | what a suite asks: cases, gates, slices, metrics | no |
| table, column, answer_values | records as numbers | no |
| file_data, reading_labels, reading_calibrations | what people and judges said, from files | no |
| cells, case_values, quantities, measuring | figures with intervals | yes |
| measuring_files, correcting | figures of people and judges; corrected rates | yes |
| deciding, run_figures | decisions; all figures of a run | yes |
| measured, decision, wording, gate_words, figures_file | results, their JSON and their texts | no |
"""

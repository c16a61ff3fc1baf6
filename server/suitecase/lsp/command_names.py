"""The commands of the server, as clients send them.

All arguments are optional. The URI defaults to the document of the client's last request or
notification, and the case to the one at the position of its last request.
"""

#: `[uri, case id]`: run one case.
RUN_CASE = "suitecase.runCase"
#: `[uri, case ids or a range]`: run the named cases, or those a selection touches.
RUN_SELECTION = "suitecase.runSelection"
#: `[uri]`: run all cases.
RUN_SUITE = "suitecase.runSuite"
#: `[uri]`: run the cases whose last result is not a pass.
RUN_FAILED = "suitecase.runFailed"
#: `[run id or uri]`: cancel a run, the runs of a document, or all runs if there are no arguments.
CANCEL_RUN = "suitecase.cancelRun"
#: `[]`: stop a hanging worker process; the next run starts another one.
RESTART_WORKER = "suitecase.restartWorker"
#: `[uri, case id]`: clear the results of a case or, without a case, of a document.
CLEAR_RESULTS = "suitecase.clearResults"
#: `[uri, case id]`: open the log of a case's last run.
OPEN_LOG = "suitecase.openLog"
#: `[uri, case id]`: go to the error that kept a case or, without a case, all cases from running.
SHOW_PROBLEM = "suitecase.showProblem"
#: `[uri]`: open the report of a document's last results in a browser.
OPEN_REPORT = "suitecase.openReport"
#: `[uri]`: rewrite a suite, and the prompt files it names, in the current format.
MIGRATE_SUITE = "suitecase.migrateSuite"
#: `[code or name]`: open the page of a rule; defaults to the rule of the finding at the cursor.
EXPLAIN_RULE = "suitecase.explainRule"
#: `[uri, case id]`: open a case as it will be graded or, without a case at the cursor, the suite.
SHOW_AS_GRADED = "suitecase.showAsGraded"
#: `[folder uri, options]`: create a suite with the files that it needs. Extensions have a command
#: `suitecase.newSuite` of their own, and clients register the server's commands under their names.
CREATE_SUITE = "suitecase.createSuite"
#: `[parameters]`: the parameters of `suitecase/discoverTests` and `suitecase/runTests`.
DISCOVER_TESTS = "suitecase.discoverTests"
RUN_TESTS = "suitecase.runTests"

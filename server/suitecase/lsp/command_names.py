"""The commands of the server, as clients send them.

All arguments may be left out: the address is that of the document the client sent or asked
something about last, and the case the one in which it last asked something.
"""

#: `[uri, case id]`: run one case.
RUN_CASE = "suitecase.runCase"
#: `[uri, case ids or a range]`: run several cases: those named, or those a selection touches.
RUN_SELECTION = "suitecase.runSelection"
#: `[uri]`: run all cases.
RUN_SUITE = "suitecase.runSuite"
#: `[uri]`: run the cases whose last result is not a pass.
RUN_FAILED = "suitecase.runFailed"
#: `[run id or uri]`: cancel a run, the runs of a document, or without arguments all runs.
CANCEL_RUN = "suitecase.cancelRun"
#: `[]`: end the worker process, which hangs; the next run starts another one.
RESTART_WORKER = "suitecase.restartWorker"
#: `[uri, case id]`: forget the results of a case, or without a case of a document.
CLEAR_RESULTS = "suitecase.clearResults"
#: `[uri, case id]`: open all that is known of how a case was asked and graded the last time.
OPEN_LOG = "suitecase.openLog"
#: `[uri]`: open a page about the last results of a document in a browser.
OPEN_REPORT = "suitecase.openReport"
#: `[uri]`: write a suite, and the prompt files it names, in today's format.
MIGRATE_SUITE = "suitecase.migrateSuite"
#: `[code or name]`: open the page of a rule; by default of what was found at the cursor.
EXPLAIN_RULE = "suitecase.explainRule"
#: `[uri, case id]`: open a case as it will be graded, or without one at the cursor the suite.
SHOW_AS_GRADED = "suitecase.showAsGraded"
#: `[parameters]`: what the requests `suitecase/discoverTests` and `suitecase/runTests` take.
DISCOVER_TESTS = "suitecase.discoverTests"
RUN_TESTS = "suitecase.runTests"

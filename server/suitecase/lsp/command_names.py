"""The commands of the server, as clients send them.

All arguments may be left out: the address is that of the document the client sent or asked
something about last.
"""

#: `[uri, case id]`: run one case.
RUN_CASE = "suitecase.runCase"
#: `[uri]`: run all cases.
RUN_SUITE = "suitecase.runSuite"
#: `[uri]`: forget the results of a document.
CLEAR_RESULTS = "suitecase.clearResults"

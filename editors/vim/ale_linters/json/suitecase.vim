" Suitecase's language server, for ALE: of JSON it starts for the evals of an Agent Skill alone.

call ale#Set('yaml_suitecase_executable', 'suitecase')

call ale#linter#Define('json', {
\   'name': 'suitecase',
\   'lsp': 'stdio',
\   'executable': function('suitecase#EvalsExecutable'),
\   'command': '%e lsp',
\   'project_root': function('suitecase#Root'),
\   'initialization_options': function('suitecase#Options'),
\})

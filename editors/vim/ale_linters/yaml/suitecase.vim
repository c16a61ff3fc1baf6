" Suitecase's language server, for ALE: it starts for evaluation suites and their targets, and for no other YAML.

call ale#Set('yaml_suitecase_executable', 'suitecase')

call ale#linter#Define('yaml', {
\   'name': 'suitecase',
\   'lsp': 'stdio',
\   'executable': function('suitecase#Executable'),
\   'command': '%e lsp',
\   'project_root': function('suitecase#Root'),
\   'initialization_options': function('suitecase#Options'),
\})

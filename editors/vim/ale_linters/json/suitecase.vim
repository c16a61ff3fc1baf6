" Suitecase's language server, for ALE: it starts for the evals of Agent Skills and for configurations of promptfoo,
" and for no other JSON.

call ale#Set('yaml_suitecase_executable', 'suitecase')

call ale#linter#Define('json', {
\   'name': 'suitecase',
\   'lsp': 'stdio',
\   'executable': function('suitecase#Executable'),
\   'command': '%e lsp',
\   'project_root': function('suitecase#Root'),
\   'initialization_options': function('suitecase#Options'),
\})

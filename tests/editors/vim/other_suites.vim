vim9script
# Somebody opens suites of other tools, and files that are no suites, in a real Vim with ALE. Environment: SUITECASE_FILES
# (their paths), SUITECASE_PATIENCE (seconds). Says which rules each file shows, for which of them no server was
# started, and the linters of the last one.

def Rules(buffer: number): string
  var list = get(g:ale_buffer_info, buffer, {loclist: []}).loclist
  return join(uniq(sort(mapnew(list, (_, it) => get(it, 'code', it.text)))))
enddef

def Session()
  var files = split($SUITECASE_FILES, "\n")
  var asked: list<string> = []
  for file in files
    execute 'edit' fnameescape(file)
    var executable = suitecase#Executable(bufnr())
    if executable == ''
      add(asked, fnamemodify(file, ':t'))
    endif
    ALELint
    for _ in range(executable == '' ? 0 : str2nr($SUITECASE_PATIENCE) * 40)
      if Rules(bufnr()) != ''
        break
      endif
      sleep 25m
    endfor
  endfor
  # What comes of the first ones has come by now: the server was asked of others since.
  for file in files
    writefile([file .. ': ' .. Rules(bufnr(file))], '/dev/stdout', 'a')
  endfor
  writefile(['no suite: ' .. join(sort(asked))], '/dev/stdout', 'a')
  writefile(['linters: ' .. join(sort(mapnew(ale#linter#Get(&filetype), (_, it) => it.name)))], '/dev/stdout', 'a')
enddef

try
  Session()
catch
  writefile([v:exception .. ' at ' .. v:throwpoint], '/dev/stdout', 'a')
endtry
silent! ALEStopAllLSPs
qall!

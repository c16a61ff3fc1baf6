vim9script
# A session in a real Vim with ALE: what a person does, and what has to be seen then. The vimrc of that person is
# loaded before. Environment: SUITECASE_SUITE (the suite to open), SUITECASE_PATIENCE (how many seconds to wait for
# what should be seen), SUITECASE_OPENED (the file that a browser stands for writes addresses to). Says "ok" or
# "FAIL" for each step.

var failures = 0

def Check(step: string, fine: bool, detail: any = '')
  failures += fine ? 0 : 1
  writefile([fine ? 'ok   ' .. step : 'FAIL ' .. step .. ': ' .. string(detail)], '/dev/stdout', 'a')
enddef

def Eventually(Met: func(): bool, seconds: number = str2nr($SUITECASE_PATIENCE)): bool
  for _ in range(seconds * 40)
    if Met()
      return true
    endif
    sleep 25m
  endfor
  return false
enddef

# The findings as ALE shows them: the text they underline, and the message.
def Findings(words = ''): list<list<string>>
  var found: list<list<string>> = []
  for it in g:ale_buffer_info[bufnr()].loclist
    if it.text =~# words
      add(found, [strpart(getline(it.lnum), it.col - 1, get(it, 'end_col', it.col) - it.col + 1), it.text])
    endif
  endfor
  return found
enddef

def Go(text: string)
  cursor(1, 1)
  search('\V' .. text, 'cW')
enddef

# All that was said, also what ALE only echoes.
var said = tempname()

def Messages(): string
  redir END
  var messages = join(readfile(said), "\n")
  execute 'redir >>' fnameescape(said)
  return messages
enddef

def Preview(): string
  for number in range(1, winnr('$'))
    if getwinvar(number, '&previewwindow')
      return join(getbufline(winbufnr(number), 1, '$'), "\n")
    endif
  endfor
  return ''
enddef

# Choose a code action by its number in the menu, as somebody types it.
var wanted = ''
def g:Answer(menu: string, ...rest: list<any>): string
  var chosen = matchlist(menu, '\n\(\d\+\)) \V' .. escape(wanted, '\'))
  Check('choose ' .. wanted, !empty(chosen), menu)
  wanted = ''
  return get(chosen, 1, '')
enddef

def Choose(title: string)
  wanted = title
  ALECodeAction
  if !Eventually(() => wanted == '')
    Check('choose ' .. title, false, 'no menu')
    wanted = ''
  endif
enddef

def Session()
  execute 'redir >' fnameescape(said)
  execute 'edit' fnameescape($SUITECASE_SUITE)
  Check('a suite is YAML', &filetype == 'yaml', &filetype)
  runtime autoload/ale/util.vim
  # There is no keyboard here.
  legacy execute "function! ale#util#Input(...)\nreturn call('g:Answer', a:000)\nendfunction"

  # What ALE does when a file is opened, and when typing pauses.
  ALELint
  Check('the server is started', Eventually(() => !empty(Findings()), 30), ale#linter#Get('yaml'))
  Eventually(() => !empty(Findings('overlaps \[0, 5\]')))
  Check('the overlap is underlined at its place', mapnew(Findings('overlaps \[0, 5\]'), (_, it) => it[0]) == ['[5, 10]'], Findings())
  Check('it has a sign', Eventually(() => !empty(sign_getplaced(bufnr(), {group: '*'})[0].signs)))
  Go('score_ranges')
  ALEHover
  Check('hover', Eventually(() => Preview() =~ 'What each score from 0 to 10 means'), Preview())
  pclose

  # Its quick fix mends it.
  Go('[5, 10]')
  Choose('Change to [6, 10]')
  Check('the fix is in the text', Eventually(() => search('\V[6, 10]', 'nw') > 0), getline('.'))
  ALELint
  Check('and its finding is gone', Eventually(() => empty(Findings('overlaps'))), Findings())

  # Older spellings become today's.
  Check('older spellings are found', !empty(Findings('expected_outcome')), Findings())
  SuitecaseFixAll
  Check('they are written in today''s', Eventually(() =>
    search('^    expected_outcome: Says hello', 'nw') > 0 && search('^        expected_outcome: says hello', 'nw') > 0),
    getline(1, '$'))
  ALELint
  Check('nothing is left to find', Eventually(() => empty(Findings())), Findings())

  # A case is run; ALE has no lenses. What is in the buffer is run, saved or not.
  setline(search('input: Hello there', 'nw'), '    input: Hello there, you')
  Go('Hello there')
  Choose('Run case `greet`')
  Eventually(() => len(Findings()) == 2)
  Check('the verdict is at the case, the miss at its rubric',
    sort(mapnew(Findings(), (_, it) => it[0])) == ['greet', 'zebra'], Findings())
  Check('the verdict is a fail', !empty(Findings('fail 0\.\d\d')), Findings())
  Check('and said', Eventually(() => Messages() =~ 'greet: fail 0\.'), Messages())
  Go('greet')
  ALEHover
  Check('the hover has it too', Eventually(() => Preview() =~ '✗ fail' && Preview() =~ 'zebras'), Preview())
  pclose
  Check('the buffer is not saved', &modified)

  # A run that takes its time is cancelled, once.
  Go('Take your time')
  SuitecaseRunCase
  SuitecaseCancel
  Check('a run is cancelled', Eventually(() => Messages() =~ 'cancelled'), Messages())
  SuitecaseCancel
  Check('nothing is left to cancel', Eventually(() => Messages() =~ 'no run is going on'), Messages())

  # What is known of the run is read.
  SuitecaseOpenReport
  Check('the report is opened', Eventually(() =>
    filereadable($SUITECASE_OPENED) && join(readfile($SUITECASE_OPENED)) =~ '\.html'), Messages())
  Go('Hello there')
  SuitecaseOpenLog
  Check('the log is opened', Eventually(() => &readonly && search('Hello there', 'nw') > 0), bufname())

  # Commands are about the case at the cursor, wherever a hover was asked for.
  close
  Go('Take your time')
  SuitecaseShowAsGraded
  Check('the case at the cursor is shown as it is graded',
    Eventually(() => &readonly && search('Take your time', 'nw') > 0 && search('Hello there', 'nw') == 0), bufname())
enddef

try
  Session()
  Check('the session went to its end', true)
catch
  Check('the session went to its end', false, v:exception .. ' at ' .. v:throwpoint)
endtry
silent! ALEStopAllLSPs
if failures > 0
  cquit 1
endif
qall!

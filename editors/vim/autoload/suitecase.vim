" What the commands of Suitecase do, through ALE.

" What ALE runs where nobody chose linters, as far as it goes together with a suite.
let s:usual_linters = {'json': ['jsonlint', 'spectral', 'vscodejson'], 'yaml': ['yamllint']}

" Return the program for a buffer, or nothing for one that is no suite.
function! suitecase#Executable(buffer) abort
    return s:IsSuite(a:buffer) ? ale#Var(a:buffer, 'yaml_suitecase_executable') : ''
endfunction

function! s:IsSuite(buffer) abort
    let l:name = fnamemodify(bufname(a:buffer), ':p')

    return getbufvar(a:buffer, 'suitecase', 0)
    \   || l:name =~? '\.eval\.ya\?ml$'
    \   || l:name =~? '/promptfooconfig[^/]*\.\%(ya\?ml\|json\)$'
    \   || l:name =~? '\.promptfooconfig\.ya\?ml$'
    \   || l:name =~? '/evals/evals\.json$'
    \   || l:name =~? '/\.\%(agentv\|suitecase\)/targets\.ya\?ml$'
    \   || match(getbufline(a:buffer, 1, 200), s:mark) >= 0
endfunction

" What only suites have at the start of a line.
let s:mark = '^\%(evalcases\|eval_cases\|testcases\):\|^#.*\$schema[=:].*promptfoo.*config-schema\.json'

" Have ALE check a buffer with Suitecase, if it is a suite, beside the linters that its user chose.
function! suitecase#Enable(buffer) abort
    let l:language = getbufvar(a:buffer, '&filetype')

    if s:IsSuite(a:buffer) && empty(getbufvar(a:buffer, 'ale_linters'))
        let l:chosen = get(get(g:, 'ale_linters', {}), l:language, s:usual_linters[l:language])
        let l:linters = index(l:chosen, 'suitecase') < 0 ? l:chosen + ['suitecase'] : l:chosen

        call setbufvar(a:buffer, 'ale_linters', {l:language: l:linters})
    endif
endfunction

" Return the folder that a suite belongs to: the nearest repository or configured folder above it.
function! suitecase#Root(buffer) abort
    let l:folder = fnamemodify(bufname(a:buffer), ':p:h')
    let l:above = l:folder

    while 1
        for l:name in ['.git', '.suitecase', 'suitecase.toml']
            if !empty(glob(l:above . '/' . l:name, 1))
                return l:above
            endif
        endfor

        if fnamemodify(l:above, ':h') is# l:above
            return l:folder
        endif

        let l:above = fnamemodify(l:above, ':h')
    endwhile
endfunction

" Return what the server is told first. ALE counts bytes, and cannot say so in the words of the protocol.
function! suitecase#Options(buffer) abort
    return {
    \   'trusted': get(g:, 'suitecase_trusted', 1) ? v:true : v:false,
    \   'positionEncoding': 'utf-8',
    \}
endfunction

" Run the case at the cursor, or with a range of lines the cases in them.
function! suitecase#RunCase(range, first, last) abort
    if a:range
        let l:start = {'line': a:first - 1, 'character': 0}
        let l:end = {'line': a:last, 'character': 0}
    else
        " Behind the dash a line belongs to one case; all before is counted the same everywhere.
        let l:start = {'line': line('.') - 1, 'character': matchend(getline('.'), '^\s*\%(-\s\+\)\?')}
        let l:end = l:start
    endif

    call suitecase#Execute('suitecase.runSelection', {'start': l:start, 'end': l:end})
endfunction

" Have the server execute a command on this suite, as it is in the buffer.
function! suitecase#Execute(command, ...) abort
    " In a lambda, a:000 would be what the lambda itself is given.
    let l:more = a:000

    call s:Request('workspace/executeCommand', {uri -> {
    \   'command': a:command,
    \   'arguments': [uri] + l:more,
    \}}, function('s:ShowAnswer'))
endfunction

" Open all that is known of the last run of the case at the cursor.
function! suitecase#OpenLog() abort
    call s:Request('suitecase/discoverTests', {uri -> {'uri': uri}}, function('s:OpenLogAt', [line('.') - 1]))
endfunction

function! s:OpenLogAt(line, suite) abort
    for l:case in a:suite.cases
        if l:case.range.start.line <= a:line && a:line <= l:case.range.end.line
            call suitecase#Execute('suitecase.openLog', l:case.id)

            return
        endif
    endfor

    call s:Say('there is no case with an id at the cursor')
endfunction

" Open the case at the cursor as it will be graded; where there is none, the suite.
function! suitecase#ShowAsGraded() abort
    call s:Request('suitecase/discoverTests', {uri -> {'uri': uri}}, function('s:ShowAsGradedAt', [line('.') - 1]))
endfunction

function! s:ShowAsGradedAt(line, suite) abort
    let l:id = ''

    for l:case in a:suite.cases
        if l:case.range.start.line <= a:line && a:line <= l:case.range.end.line
            let l:id = l:case.id
        endif
    endfor

    call suitecase#Execute('suitecase.showAsGraded', l:id)
endfunction

" Open the page of a rule; where none is named, of what is found in the line of the cursor.
function! suitecase#Explain(rule) abort
    let l:rule = a:rule

    for l:found in empty(l:rule) ? ale#engine#GetLoclist(bufnr('')) : []
        if l:found.lnum == line('.') && get(l:found, 'linter_name', '') is# 'suitecase'
            let l:rule = get(l:found, 'code', '')
        endif
    endfor

    if empty(l:rule)
        call s:Say('nothing is found in this line; name a rule, such as `:SuitecaseExplain SC201`')
    else
        call s:Request('workspace/executeCommand', {uri -> {
        \   'command': 'suitecase.explainRule',
        \   'arguments': [l:rule],
        \}}, function('s:ShowAnswer'))
    endif
endfunction

" Apply all safe fixes, legacy syntax included.
function! suitecase#FixAll() abort
    let l:end = {'line': line('$'), 'character': 0}

    call s:Request('textDocument/codeAction', {uri -> {
    \   'textDocument': {'uri': uri},
    \   'range': {'start': {'line': 0, 'character': 0}, 'end': l:end},
    \   'context': {'diagnostics': [], 'only': ['source.fixAll.suitecase']},
    \}}, function('s:Apply'))
endfunction

function! s:Apply(actions) abort
    if empty(a:actions)
        call s:Say('there is nothing to fix safely')
    else
        call ale#codefix#ApplyLSPCodeAction({}, a:actions[0])
    endif
endfunction

" Send the server what was typed last, and then a request; its answer is given to Done.
function! s:Request(method, Params, Done) abort
    let l:buffer = bufnr('')

    if !s:IsSuite(l:buffer)
        call s:Say('this is no suite; it is called *.eval.yaml, or set b:suitecase')

        return
    endif

    let l:changed = ale#lsp#message#DidChange(l:buffer)
    let l:uri = l:changed[2].textDocument.uri

    if !ale#lsp_linter#SendRequest(l:buffer, 'suitecase', l:changed)
        call s:Say('the server does not start: is `' . ale#Var(l:buffer, 'yaml_suitecase_executable')
        \   . '` on the path? Install it (pip install suitecase), or set g:ale_yaml_suitecase_executable')

        return
    endif

    call ale#lsp_linter#SendRequest(l:buffer, 'suitecase', [0, a:method, a:Params(l:uri)],
    \   function('s:Answered', [a:Done]))
endfunction

function! s:Answered(Done, response) abort
    if has_key(a:response, 'error')
        call s:Say(a:response.error.message)
    else
        call a:Done(get(a:response, 'result', v:null))
    endif
endfunction

function! s:ShowAnswer(answer) abort
    if type(a:answer) isnot v:t_dict
        return
    endif

    if has_key(a:answer, 'runId')
        call s:ShowRun(a:answer)
    elseif has_key(a:answer, 'edit')
        " ALE makes no edits that a server asks for.
        if a:answer.edit isnot v:null
            call ale#codefix#ApplyLSPCodeAction({}, {'edit': a:answer.edit})
        endif

        call s:Say(a:answer.message)
    elseif has_key(a:answer, 'path')
        call s:Open(a:answer.path)
    elseif type(get(a:answer, 'cancelled')) is v:t_list && empty(a:answer.cancelled)
        call s:Say('no run is going on')
    endif
endfunction

function! s:ShowRun(answer) abort
    " The server says it too, which ALE shows to those who want to read information.
    if get(g:, 'ale_lsp_show_message_severity', 'error') =~? '^\%(info\|log\)'
        return
    endif

    if a:answer.problem isnot v:null
        call s:Say(a:answer.problem)

        return
    endif

    let l:words = a:answer.cancelled ? ['cancelled'] : []

    for l:case in a:answer.cases
        let l:score = l:case.score is v:null ? '' : printf(' %.2f', l:case.score)
        call add(l:words, l:case.id . ': ' . substitute(l:case.verdict, '_', ' ', 'g') . l:score)
    endfor

    call s:Say(join(l:words, ', '))
endfunction

function! s:Open(path) abort
    if a:path !~# '\.html$'
        execute 'sview' fnameescape(a:path)
        setlocal autoread

        return
    endif

    for l:opener in get(g:, 'suitecase_openers', ['xdg-open', 'open', 'wslview'])
        if executable(l:opener)
            call job_start([l:opener, a:path], {'in_io': 'null', 'out_io': 'null', 'err_io': 'null', 'stoponexit': ''})

            return
        endif
    endfor

    call s:Say('the report is in ' . a:path)
endfunction

function! s:Say(text) abort
    echomsg 'Suitecase: ' . a:text
endfunction

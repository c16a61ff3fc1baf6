" Commands to run the cases of an evaluation suite, which ALE itself has only in the menu of code actions.

if exists('g:loaded_suitecase')
    finish
endif

let g:loaded_suitecase = 1

command! -range SuitecaseRunCase call suitecase#RunCase(<range>, <line1>, <line2>)
command! SuitecaseRunSuite call suitecase#Execute('suitecase.runSuite')
command! SuitecaseRunFailed call suitecase#Execute('suitecase.runFailed')
command! SuitecaseCancel call suitecase#Execute('suitecase.cancelRun')
command! SuitecaseOpenLog call suitecase#OpenLog()
command! SuitecaseOpenReport call suitecase#Execute('suitecase.openReport')
command! SuitecaseClearResults call suitecase#Execute('suitecase.clearResults')
command! SuitecaseFixAll call suitecase#FixAll()
command! SuitecaseMigrate call suitecase#Execute('suitecase.migrateSuite')
command! SuitecaseShowAsGraded call suitecase#ShowAsGraded()
command! -nargs=? SuitecaseExplain call suitecase#Explain(<q-args>)

" ALE asks only the linters of a language that it knows by itself, or those that were chosen.
augroup suitecase
    autocmd!
    autocmd FileType json,yaml call suitecase#Enable(expand('<abuf>') + 0)
augroup END

;;; suitecase.el --- Check and run LLM evaluation suites  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Suitecase authors
;; SPDX-License-Identifier: MIT

;; Author: The Suitecase authors
;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: languages, tools, convenience

;;; Commentary:

;; A major mode for evaluation suites written in YAML, whose findings,
;; hovers, completions, quick fixes and runs come from the language server
;; `suitecase lsp', through Eglot or through lsp-mode:
;;
;;     (require 'suitecase)
;;     (add-hook 'suitecase-mode-hook #'eglot-ensure)   ; or #'lsp-deferred
;;     (add-hook 'suitecase-evals-mode-hook #'eglot-ensure)
;;
;; Nothing is run unless you ask for it.  See README.md beside this file.

;;; Code:

(require 'easymenu)
(require 'seq)
(require 'suitecase-session)

(declare-function eglot--pos-to-lsp-position "eglot")
(declare-function eglot-code-actions "eglot")
(declare-function lsp--point-to-position "lsp-mode")
(declare-function lsp-execute-code-action-by-kind "lsp-mode")
(declare-function suitecase-eglot-restart "suitecase-eglot")
(declare-function suitecase-lsp-restart "suitecase-lsp")

(defface suitecase-variable '((t :inherit font-lock-variable-name-face))
  "Face for the variables of prompts, such as {{ question }}."
  :group 'suitecase)

(defface suitecase-environment '((t :inherit font-lock-constant-face))
  "Face for variables of the environment, such as ${{ API_KEY }}."
  :group 'suitecase)

;;; The mode

(defconst suitecase--variables
  '(("\\(?:^\\|[^$]\\)\\({{[ \t]*[[:alnum:]_.-]+[ \t]*}}\\)" 1 'suitecase-variable prepend)
    ("\\${{[ \t]*[[:alnum:]_]+[ \t]*}}" 0 'suitecase-environment prepend))
  "What is highlighted beside YAML.")

(defconst suitecase--plain-yaml
  '(("^[ \t]*\\(?:- +\\)*\\([[:alnum:]_$-]+\\):\\(?:[ \t]\\|$\\)" 1 font-lock-variable-name-face)
    ("\\(?:^\\|[ \t]\\)\\(#.*\\)$" 1 font-lock-comment-face t))
  "What is highlighted of YAML where there is no mode for it.")

(define-derived-mode suitecase--plain-yaml-mode text-mode "YAML"
  "The little of YAML that is needed where no mode for it is installed."
  (setq-local comment-start "# "
              comment-start-skip "#+[ \t]*"
              indent-tabs-mode nil
              font-lock-defaults '(suitecase--plain-yaml t)))

(defun suitecase--yaml-mode ()
  "Return the mode for YAML that there is."
  (cond ((require 'yaml-mode nil t) 'yaml-mode)
        ((and (fboundp 'yaml-ts-mode)
              (fboundp 'treesit-ready-p)
              (treesit-ready-p 'yaml t))
         'yaml-ts-mode)
        (t 'suitecase--plain-yaml-mode)))

(defalias 'suitecase--parent-mode (suitecase--yaml-mode)
  "The mode for YAML that suites are edited in.")

(defvar suitecase-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-c") #'suitecase-run-case)
    (define-key map (kbd "C-c C-a") #'suitecase-run-suite)
    (define-key map (kbd "C-c C-f") #'suitecase-run-failed)
    (define-key map (kbd "C-c C-k") #'suitecase-cancel)
    (define-key map (kbd "C-c C-l") #'suitecase-open-log)
    (define-key map (kbd "C-c C-r") #'suitecase-open-report)
    (define-key map (kbd "C-c C-x") #'suitecase-fix-all)
    map)
  "Keys of `suitecase-mode'.")

;;;###autoload (autoload 'suitecase-mode "suitecase" nil t)
(define-derived-mode suitecase-mode suitecase--parent-mode "Suite"
  "Major mode for evaluation suites, and for their targets.

\\{suitecase-mode-map}"
  (font-lock-add-keywords nil suitecase--variables t))

;; The parent is an alias, so that it can be chosen when this is loaded.
(put 'suitecase-mode 'derived-mode-parent (symbol-function 'suitecase--parent-mode))
;; How clients name the language to servers.
(put 'suitecase-mode 'eglot-language-id "yaml")

;;;###autoload (autoload 'suitecase-evals-mode "suitecase" nil t)
(define-derived-mode suitecase-evals-mode js-mode "Evals"
  "Major mode for suites in JSON.
These are the evals of an Agent Skill, and configurations of
promptfoo.")
(put 'suitecase-evals-mode 'eglot-language-id "json")

(easy-menu-define suitecase-menu suitecase-mode-map
  "Menu of `suitecase-mode'."
  '("Suite"
    ["Run the Case at Point" suitecase-run-case]
    ["Run All Cases" suitecase-run-suite]
    ["Run the Failed Cases" suitecase-run-failed]
    ["Cancel the Run" suitecase-cancel]
    "---"
    ["Open the Log of the Case" suitecase-open-log]
    ["Open the Report" suitecase-open-report]
    ["Clear the Results" suitecase-clear-results]
    "---"
    ["Make All Safe Fixes" suitecase-fix-all]
    ["Migrate This Suite" suitecase-migrate]
    ["Show as Graded" suitecase-show-as-graded]
    ["Explain a Rule..." suitecase-explain-rule]
    ["Restart the Worker" suitecase-restart-worker]
    ["Restart the Server" suitecase-restart]))

;;;###autoload
(progn
  (add-to-list 'auto-mode-alist '("\\.eval\\.ya?ml\\'" . suitecase-mode))
  (add-to-list 'auto-mode-alist
               '("\\(?:/\\|\\.\\)promptfooconfig[^/]*\\.ya?ml\\'" . suitecase-mode))
  (add-to-list 'auto-mode-alist
               '("/\\(?:evals/evals\\|promptfooconfig[^/]*\\)\\.json\\'" . suitecase-evals-mode))
  (add-to-list 'auto-mode-alist
               '("/\\.\\(?:agentv\\|suitecase\\)/targets\\.ya?ml\\'" . suitecase-mode)))

;;; Commands

(defun suitecase--range (beg end)
  "Return the text from BEG to END as a range of the protocol."
  (let ((position (pcase (suitecase-client)
                    ('eglot #'eglot--pos-to-lsp-position)
                    ('lsp #'lsp--point-to-position))))
    (list :start (funcall position beg) :end (funcall position end))))

(defun suitecase-run-case ()
  "Run the case at point, or all cases that the region overlaps.
Uses the text in the buffer, saved or not."
  (interactive)
  (let ((region (use-region-p)))
    (suitecase-execute-here "suitecase.runSelection"
                            (suitecase--range (if region (region-beginning) (point))
                                              (if region (region-end) (point))))))

(defun suitecase-run-suite ()
  "Run all cases of this suite, with the text in the buffer."
  (interactive)
  (suitecase-execute-here "suitecase.runSuite"))

(defun suitecase-run-failed ()
  "Run the cases of this suite whose last result is not a pass."
  (interactive)
  (suitecase-execute-here "suitecase.runFailed"))

(defun suitecase-cancel ()
  "Cancel the runs of this suite."
  (interactive)
  (suitecase-execute-here "suitecase.cancelRun"))

(defun suitecase-clear-results ()
  "Delete the results of this suite permanently."
  (interactive)
  (suitecase-execute-here "suitecase.clearResults"))

(defun suitecase-open-log ()
  "Open the log of the last run of the case at point."
  (interactive)
  (suitecase--with-case
   (lambda (uri id)
     (if id
         (suitecase-execute "suitecase.openLog" uri id)
       (message "Suitecase: there is no case with an id at point")))))

(defun suitecase-show-as-graded ()
  "Open the case at point as it will be graded; outside a case, the suite."
  (interactive)
  (suitecase--with-case
   (lambda (uri id) (suitecase-execute "suitecase.showAsGraded" uri (or id "")))))

(defun suitecase--with-case (call)
  "Call CALL with the address of this suite and the id of the case at point.
The id is nil where there is no case."
  (let ((line (1- (line-number-at-pos nil t))))
    (suitecase-request
     "suitecase/discoverTests" (lambda (uri) (list :uri uri))
     (lambda (suite)
       (let ((case (seq-find (lambda (it) (suitecase--on-line-p it line))
                             (suitecase-get suite 'cases))))
         (funcall call (suitecase-get suite 'uri) (and case (suitecase-get case 'id))))))))

(defun suitecase-migrate ()
  "Migrate this suite, and the prompt files that it names, to the current format."
  (interactive)
  (suitecase-execute-here "suitecase.migrateSuite"))

(defun suitecase-explain-rule (rule)
  "Open the page of RULE, a code or a name; by default of the finding at point."
  (interactive (list (read-string "Rule (default: that of the finding at point): ")))
  (if (string-empty-p rule)
      (suitecase-execute "suitecase.explainRule")
    (suitecase-execute "suitecase.explainRule" rule)))

(defun suitecase--on-line-p (case line)
  "Whether CASE, a JSON object, stands on LINE, counted from 0."
  (let ((range (suitecase-get case 'range)))
    (<= (suitecase-get (suitecase-get range 'start) 'line)
        line
        (suitecase-get (suitecase-get range 'end) 'line))))

(defun suitecase-open-report ()
  "Open a report on the last results of this suite in a browser."
  (interactive)
  (suitecase-execute-here "suitecase.openReport"))

(defun suitecase-fix-all ()
  "Apply all safe fixes, legacy syntax included."
  (interactive)
  (pcase (suitecase-client)
    ('eglot (eglot-code-actions (point-min) (point-max) "source.fixAll.suitecase" t))
    ('lsp (lsp-execute-code-action-by-kind "source.fixAll.suitecase"))))

(defun suitecase-restart-worker ()
  "End the process that runs cases; the next run starts another."
  (interactive)
  (suitecase-execute "suitecase.restartWorker"))

(defun suitecase-restart ()
  "Restart the language server."
  (interactive)
  (pcase (suitecase-client)
    ('eglot (suitecase-eglot-restart))
    ('lsp (suitecase-lsp-restart))))

(provide 'suitecase)

;; Clients are taken as they come; neither is loaded for a suite.
(with-eval-after-load 'eglot (require 'suitecase-eglot))
(with-eval-after-load 'lsp-mode (require 'suitecase-lsp))
;;; suitecase.el ends here

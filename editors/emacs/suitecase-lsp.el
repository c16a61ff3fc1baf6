;;; suitecase-lsp.el --- Suitecase through lsp-mode  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Suitecase authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Tells lsp-mode how to start the server.  lsp-mode waits for what it
;; executes and gives up after ten seconds, which is no time for a run:
;; here it does not wait.  Verdicts are shown in the lenses, or at the ids
;; of cases where lenses are off.

;;; Code:

(require 'lsp-mode)
(require 'suitecase-session)
(require 'suitecase-verdicts)

(defconst suitecase-lsp--commands
  '("suitecase.runCase" "suitecase.runSelection" "suitecase.runSuite" "suitecase.runFailed"
    "suitecase.cancelRun" "suitecase.restartWorker" "suitecase.clearResults"
    "suitecase.openLog" "suitecase.showProblem" "suitecase.openReport"
    "suitecase.migrateSuite" "suitecase.explainRule" "suitecase.showAsGraded")
  "The commands of lenses and code actions.")

(defun suitecase-lsp--execute (action)
  "Have the server execute the command ACTION, without waiting."
  (suitecase-lsp-request "workspace/executeCommand"
                         (list :command (suitecase-get action 'command)
                               :arguments (or (suitecase-get action 'arguments) []))
                         #'suitecase-show-answer))

(defun suitecase-lsp-request (method params done)
  "Request METHOD with PARAMS and call DONE; see `suitecase-request'."
  (lsp-request-async method
                     (if (functionp params) (funcall params (lsp--buffer-uri)) params)
                     done
                     :mode 'detached
                     :error-handler #'suitecase-show-refusal))

(defun suitecase-lsp-restart ()
  "Restart the server of this buffer."
  (lsp-workspace-restart (car (lsp-workspaces))))

(defun suitecase-lsp--note (_workspace params)
  "Note the state of a case that PARAMS tell of."
  (when-let ((buffer (find-buffer-visiting (lsp--uri-to-path (suitecase-get params 'uri)))))
    (suitecase-verdicts-note buffer (suitecase-get params 'case) (suitecase-get params 'state))))

(defun suitecase-lsp--show (_workspace params)
  "Show the results of the document that PARAMS name."
  (when-let ((buffer (find-buffer-visiting (lsp--uri-to-path (suitecase-get params 'uri)))))
    (suitecase-verdicts-refresh buffer)))

(defun suitecase-lsp--configure ()
  "Show verdicts at the ids of cases where no lenses show them."
  (when (derived-mode-p 'suitecase-mode)
    (suitecase-verdicts-mode (if lsp-lens-enable -1 1))))

(add-hook 'lsp-configure-hook #'suitecase-lsp--configure)

(add-to-list 'lsp-language-id-configuration '(suitecase-mode . "yaml"))
(add-to-list 'lsp-language-id-configuration '(suitecase-evals-mode . "json"))

(lsp-register-client
 (make-lsp-client
  :new-connection (lsp-stdio-connection
                   #'suitecase-server-command
                   (lambda () (executable-find (car suitecase-server-program))))
  :major-modes '(suitecase-mode suitecase-evals-mode)
  :server-id 'suitecase
  :priority 1
  ;; lsp-mode counts characters, and says so from version 9 on.
  :custom-capabilities (unless (assq 'general (lsp--client-capabilities))
                         '((general . ((positionEncodings . ["utf-32"])))))
  :initialization-options (lambda ()
                            (suitecase-initialization-options
                             (or (lsp-workspace-root) default-directory)))
  :action-handlers (let ((handlers (make-hash-table :test 'equal)))
                     (dolist (command suitecase-lsp--commands handlers)
                       (puthash command #'suitecase-lsp--execute handlers)))
  :notification-handlers (let ((handlers (make-hash-table :test 'equal)))
                           (puthash "suitecase/testState" #'suitecase-lsp--note handlers)
                           (puthash "suitecase/resultsChanged" #'suitecase-lsp--show handlers)
                           handlers)))

(provide 'suitecase-lsp)
;;; suitecase-lsp.el ends here

;;; suitecase-eglot.el --- Suitecase through Eglot  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Suitecase authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Tells Eglot how to start the server.  Eglot waits for what it executes
;; and gives up after ten seconds, which is no time for a run: here it
;; does not wait.  Eglot has no code lenses: verdicts are shown at the ids
;; of cases, and all commands are code actions too.

;;; Code:

(require 'eglot)
(require 'jsonrpc)
(require 'suitecase-session)
(require 'suitecase-verdicts)

(defclass suitecase-eglot-server (eglot-lsp-server) ()
  :documentation "Suitecase's language server.")

(defun suitecase-eglot-contact (&optional _interactive)
  "Return the class and the command that Eglot is to use."
  (cons 'suitecase-eglot-server (suitecase-server-command)))

(add-to-list 'eglot-server-programs
             '((suitecase-mode suitecase-evals-mode) . suitecase-eglot-contact))

(cl-defmethod eglot-initialization-options ((_server suitecase-eglot-server))
  "Return what the server is told first."
  (suitecase-initialization-options default-directory))

(defun suitecase-eglot--execute (server command arguments)
  "Have SERVER execute COMMAND, a string, with ARGUMENTS, without waiting."
  (let ((buffer (current-buffer)))
    (suitecase-eglot--send server "workspace/executeCommand"
                           (list :command command :arguments arguments)
                           (lambda (answer)
                             (when (buffer-live-p buffer)
                               (with-current-buffer buffer (suitecase-show-answer answer)))))))

;; What Eglot calls for a chosen code action: this up to 1.15, and then the other.
(with-no-warnings
  (cl-defmethod eglot-execute-command ((server suitecase-eglot-server) command arguments)
    "Have SERVER execute COMMAND with ARGUMENTS, without waiting."
    (suitecase-eglot--execute server (format "%s" command) arguments))

  (when (fboundp 'eglot-execute)
    (cl-defmethod eglot-execute ((server suitecase-eglot-server) action)
      "Have SERVER carry out ACTION, without waiting for a command."
      (let ((command (plist-get action :command)))
        (cond ((stringp command)
               (suitecase-eglot--execute server command (plist-get action :arguments)))
              (command
               (when (plist-get action :edit)
                 (cl-call-next-method server (list :title "" :edit (plist-get action :edit))))
               (suitecase-eglot--execute server (plist-get command :command)
                                         (plist-get command :arguments)))
              (t (cl-call-next-method)))))))

(defun suitecase-eglot--send (server method params done)
  "Send SERVER a request METHOD, a string, with PARAMS; call DONE with the answer."
  ;; What was typed last must be there before a run of it.
  (eglot--signal-textDocument/didChange)
  (jsonrpc-async-request server (intern (concat ":" method)) params
                         :success-fn done
                         :error-fn #'suitecase-show-refusal
                         :timeout nil))

(defun suitecase-eglot-uri ()
  "Return the address that the server knows this buffer's document by."
  (plist-get (eglot--TextDocumentIdentifier) :uri))

(defun suitecase-eglot-request (method params done)
  "Request METHOD with PARAMS and call DONE; see `suitecase-request'."
  (suitecase-eglot--send (or (eglot-current-server)
                             (user-error "Suitecase's server is not running here"))
                         method
                         (if (functionp params) (funcall params (suitecase-eglot-uri)) params)
                         done))

(defun suitecase-eglot-restart ()
  "Restart the server of this buffer."
  (eglot-reconnect (eglot-current-server)))

(defun suitecase-eglot-shows-progress-p ()
  "Return whether progress is shown by this version of Eglot."
  (suitecase-get (plist-get (eglot-client-capabilities (eglot-current-server)) :window)
                 'workDoneProgress))

(cl-defmethod eglot-handle-notification
  ((_server suitecase-eglot-server) (_method (eql 'window/showMessage)) &key type message)
  "Show a MESSAGE of the server; of TYPE 1 it is an error."
  (message "%s" (propertize (concat "Suitecase: " message) 'face (and (<= type 1) 'error))))

;;; Verdicts

(defun suitecase-eglot--buffer (uri)
  "Return the buffer of the document with the address URI, or nil."
  (seq-find (lambda (buffer)
              (with-current-buffer buffer
                (and eglot--managed-mode
                     (derived-mode-p 'suitecase-mode)
                     (equal (suitecase-eglot-uri) uri))))
            (buffer-list)))

(cl-defmethod eglot-handle-notification
  ((_server suitecase-eglot-server) (_method (eql 'suitecase/testState))
   &key uri case state &allow-other-keys)
  "Note that the CASE of the document with the address URI is in STATE."
  (when-let ((buffer (suitecase-eglot--buffer uri)))
    (suitecase-verdicts-note buffer case state)))

(cl-defmethod eglot-handle-notification
  ((_server suitecase-eglot-server) (_method (eql 'suitecase/resultsChanged))
   &key uri &allow-other-keys)
  "Show the results of the document with the address URI."
  (when-let ((buffer (suitecase-eglot--buffer uri)))
    (suitecase-verdicts-refresh buffer)))

(defun suitecase-eglot--managed ()
  "Show verdicts where Eglot manages a suite, and none where it does no longer."
  (when (derived-mode-p 'suitecase-mode)
    (suitecase-verdicts-mode (if eglot--managed-mode 1 -1))))

(add-hook 'eglot-managed-mode-hook #'suitecase-eglot--managed)

(provide 'suitecase-eglot)
;;; suitecase-eglot.el ends here

;;; suitecase-session.el --- Talking to Suitecase's server  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Suitecase authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What the clients have in common: how the server is started, how it is
;; asked, and how its answers are shown.

;;; Code:

(require 'seq)
(require 'subr-x)

(declare-function suitecase-eglot-request "suitecase-eglot")
(declare-function suitecase-eglot-shows-progress-p "suitecase-eglot")
(declare-function suitecase-lsp-request "suitecase-lsp")

(defgroup suitecase nil
  "Check and run LLM evaluation suites."
  :group 'languages
  :prefix "suitecase-")

(defcustom suitecase-server-program '("suitecase" "lsp")
  "The program that is started as the language server, and its arguments.
Where Suitecase is installed in a virtual environment that is not
on the variable `exec-path', give the whole path of the program."
  :type '(repeat string)
  :risky t)

(defcustom suitecase-trusted t
  "Which workspaces cases may be run in.
Running a suite may start programs that its workspace names.  t
means all workspaces, nil none, and a list of directories those
and what lies in them.  It is read when the server starts, and
where it forbids, checking and all else go on."
  :type '(choice (const :tag "All workspaces" t)
                 (const :tag "None" nil)
                 (repeat :tag "These directories" directory))
  :risky t)

;;; The server

(defun suitecase-server-command ()
  "Return `suitecase-server-program', with the path of the program.
Signal a `user-error' that says what to do where there is none."
  (let ((program (car suitecase-server-program)))
    (cons (or (and program (executable-find program t))
              (user-error "Suitecase is not found: there is no program %s.  Install it \
(pip install suitecase), or set `suitecase-server-program'"
                          (or program "in `suitecase-server-program'")))
          (cdr suitecase-server-program))))

(defun suitecase-initialization-options (root)
  "Return what the server is told first, for the directory ROOT."
  (list :trusted (if (suitecase--trusted-p root) t :json-false)
        :testExplorer t
        ;; Verdicts are shown at the ids of cases, or in lenses.
        :inlayHints '(:verdicts :json-false)))

(defun suitecase--trusted-p (root)
  "Return whether cases may be run in the directory ROOT."
  ;; Only what the user set: a workspace cannot declare itself trusted.
  (let ((trusted (default-value 'suitecase-trusted)))
    (if (listp trusted)
        (seq-some (lambda (it) (file-in-directory-p root it)) trusted)
      t)))

(defun suitecase-get (object key)
  "Return what JSON OBJECT has for KEY, a symbol; nil for null and false.
OBJECT is a plist or a hash table, as clients give them."
  (let ((value (if (hash-table-p object)
                   (gethash (symbol-name key) object)
                 (plist-get object (intern (format ":%s" key))))))
    (unless (memq value '(:json-false :null :false)) value)))

(defun suitecase-client ()
  "Return the client that this buffer has a server through: `eglot' or `lsp'."
  (cond ((bound-and-true-p eglot--managed-mode) 'eglot)
        ((bound-and-true-p lsp-managed-mode) 'lsp)
        (t (user-error "Suitecase's server is not running here; start it with M-x eglot or M-x lsp"))))

(defun suitecase-request (method params done)
  "Ask the server METHOD, a string, with PARAMS, and call DONE with the answer.
This returns at once: a run is answered when it is over.  PARAMS
may be a function of the address of this buffer's document.  DONE
is called in this buffer, if that is still there."
  (let* ((buffer (current-buffer))
         (done (lambda (answer)
                 (when (buffer-live-p buffer)
                   (with-current-buffer buffer (funcall done answer))))))
    (pcase (suitecase-client)
      ('eglot (suitecase-eglot-request method params done))
      ('lsp (suitecase-lsp-request method params done)))))

(defun suitecase-show-refusal (error)
  "Show why the server refused a request; ERROR is a JSON object or a text."
  (message "Suitecase: %s" (if (stringp error) error
                             (or (suitecase-get error 'message) error))))

(defun suitecase-execute (command &rest arguments)
  "Have the server execute COMMAND, a string, with ARGUMENTS.
What it comes to is shown when it is over."
  (suitecase-request "workspace/executeCommand"
                     (list :command command :arguments (vconcat arguments))
                     #'suitecase-show-answer))

(defun suitecase-execute-here (command &rest arguments)
  "Have the server execute COMMAND with this document's address and ARGUMENTS."
  (suitecase-request "workspace/executeCommand"
                     (lambda (uri)
                       (list :command command :arguments (vconcat (list uri) arguments)))
                     #'suitecase-show-answer))

;;; What commands come to

(defun suitecase-show-answer (answer)
  "Show what a command was answered: ANSWER of the server."
  (cond ((suitecase-get answer 'runId) (suitecase--show-run answer))
        ((suitecase-get answer 'path) (suitecase--show-file answer))
        ((equal (suitecase-get answer 'cancelled) [])
         (message "Suitecase: no run is going on"))))

(defun suitecase--show-run (answer)
  "Show in the echo area what a run came to: ANSWER of the server."
  (let ((cases (append (suitecase-get answer 'cases) nil)))
    ;; A problem is shown by the server itself, and so are verdicts where no progress is.
    (unless (or (suitecase-get answer 'problem)
                (not (suitecase--shows-progress-p)))
      (message "Suitecase: %s%s"
               (if (suitecase-get answer 'cancelled) "cancelled; " "")
               (pcase cases
                 ('nil "no case was run")
                 (`(,case) (format "%s: %s" (suitecase-get case 'id) (suitecase-worded case)))
                 (_ (suitecase--counted cases)))))))

(defun suitecase--shows-progress-p ()
  "Return whether the progress of a run is shown by the client."
  (pcase (suitecase-client)
    ('eglot (suitecase-eglot-shows-progress-p))
    ('lsp t)))

(defun suitecase-shown-score (score)
  "Return SCORE with two digits.
With more where two would tell another verdict."
  (let ((digits 2) shown)
    (while (progn
             (setq shown (format (format "%%.%df" digits) score)
                   digits (1+ digits))
             (let ((rounded (string-to-number shown)))
               (and (< digits 13)
                    (or (not (eq (>= rounded 0.6) (>= score 0.6)))
                        (not (eq (>= rounded 0.8) (>= score 0.8))))))))
    shown))

(defun suitecase-worded (result)
  "Return verdict and score of RESULT, a JSON object: pass 0.92."
  (let ((score (suitecase-get result 'score))
        (verdict (replace-regexp-in-string "_" " " (suitecase-get result 'verdict))))
    (if score (concat verdict " " (suitecase-shown-score score)) verdict)))

(defun suitecase--counted (cases)
  "Return how many of CASES have which verdict: 3 cases: 2 pass, 1 fail."
  (format "%d cases: %s" (length cases)
          (mapconcat (lambda (group) (format "%d %s" (length (cdr group)) (car group)))
                     (seq-group-by (lambda (it)
                                     (replace-regexp-in-string
                                      "_" " " (suitecase-get it 'verdict)))
                                   cases)
                     ", ")))

(defun suitecase--show-file (answer)
  "Open the file of ANSWER of the server, unless the client did."
  (unless (suitecase-get answer 'shown)
    (let ((path (suitecase-get answer 'path)))
      (if (string-suffix-p ".html" path)
          (browse-url-of-file path)
        (pop-to-buffer (find-file-noselect path))
        (revert-buffer t t)
        (view-mode 1)))))

(provide 'suitecase-session)
;;; suitecase-session.el ends here

;;; other-suites.el --- Suites of other tools in a real Emacs  -*- lexical-binding: t; -*-

;; Somebody opens suites of other tools, and files that are no suites.  Says which rules each file
;; shows, and in which files no client is at work.  Environment: SUITECASE_FILES (their paths),
;; SUITECASE_CLIENT (eglot or lsp-mode), SUITECASE_PATIENCE (seconds).

(require 'cl-lib)
(require 'flymake)

;; lsp-mode asks by a menu which folder the suite belongs to: to its repository.
(defvar lsp-auto-guess-root t)

(defun other-suites-rules ()
  "Return the rules of what is underlined in this buffer."
  (when (bound-and-true-p flymake-mode)
    (flymake-start)
    (let ((texts (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))
          rules)
      (dolist (rule (other-suites-known texts))
        (cl-pushnew rule rules :test #'equal))
      (string-join (sort rules #'string<) " "))))

(defun other-suites-known (texts)
  "Return the rules of findings with these TEXTS; lsp-mode does not show them there."
  (if (equal (getenv "SUITECASE_CLIENT") "lsp-mode")
      (cl-loop for finding in (gethash (lsp--fix-path-casing buffer-file-name) (lsp-diagnostics t))
               when (member (lsp:diagnostic-message finding) texts)
               collect (lsp:diagnostic-code? finding))
    (cl-loop for text in texts
             when (string-match "\\b[A-Z]\\{2\\}[0-9]\\{3\\}\\b" text)
             collect (match-string 0 text))))

(defun other-suites-connected-p ()
  "Whether a client is at work in this buffer, or about to be."
  (or (derived-mode-p 'suitecase-mode 'suitecase-evals-mode)
      (bound-and-true-p eglot--managed-mode)
      (bound-and-true-p lsp-managed-mode)))

(defun other-suites ()
  (let ((files (split-string (getenv "SUITECASE_FILES") "\n"))
        (patience (string-to-number (getenv "SUITECASE_PATIENCE")))
        alone late)
    (dolist (file files)
      (find-file file)
      ;; What the command loop does after the key that opened the file.
      (run-hooks 'post-command-hook)
      (if (not (other-suites-connected-p))
          (push (file-name-nondirectory file) alone)
        (let ((end (+ (float-time) patience)))
          (while (and (member (other-suites-rules) '(nil "")) (< (float-time) end))
            (accept-process-output nil 0.05))
          ;; Opening another file may have this one checked, too.
          (when (>= (float-time) end) (push file late)))))
    (dolist (file files)
      (with-current-buffer (get-file-buffer file)
        (princ (format "%s: %s\n" file (if (member file late) "late" (or (other-suites-rules) ""))))
        (princ (format "mode of %s: %s\n" (file-name-nondirectory file) major-mode))))
    (princ (format "no server for: %s\n" (string-join (nreverse alone) " ")))))

(condition-case trouble
    (other-suites)
  (error (princ (format "%S\n" trouble))))
(kill-emacs)

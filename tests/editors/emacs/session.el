;;; session.el --- A session in a real Emacs  -*- lexical-binding: t; -*-

;; What a person does, and what has to be on the screen then.  The init file of that person is loaded
;; before.  Environment: SUITECASE_SUITE (the suite to open), SUITECASE_CLIENT (eglot or lsp-mode),
;; SUITECASE_PATIENCE (how many seconds to wait for what should be seen).  Says "ok" or "FAIL" for
;; each step.

(require 'cl-lib)
(require 'flymake)

(defvar session-client (getenv "SUITECASE_CLIENT"))
(defvar session-patience (string-to-number (getenv "SUITECASE_PATIENCE")))
(defvar session-failures 0)

(defun session-check (step fine &optional detail)
  (unless fine (cl-incf session-failures))
  (princ (format "%-4s %s%s\n" (if fine "ok" "FAIL") step (if fine "" (format ": %S" detail)))))

(defun session-eventually (met &optional seconds)
  "Wait until MET returns non-nil, for SECONDS or as patience lasts, and return that."
  (let ((end (+ (float-time) (or seconds session-patience))) found)
    (while (and (not (setq found (funcall met))) (< (float-time) end))
      (accept-process-output nil 0.02))
    found))

(defun session-go (text)
  "Put point at the start of TEXT."
  (goto-char (point-min))
  (search-forward text)
  (goto-char (match-beginning 0)))

(defun session-typed ()
  "What Emacs does once typing pauses; idle timers do not fire without a screen."
  (when (equal session-client "eglot") (eglot--signal-textDocument/didChange)))

(defun session-shown (predicate)
  "Return the texts underlined by findings whose message PREDICATE holds for."
  (flymake-start)
  (cl-loop for finding in (flymake-diagnostics)
           when (funcall predicate (flymake-diagnostic-text finding))
           collect (cons (buffer-substring-no-properties (flymake-diagnostic-beg finding)
                                                         (flymake-diagnostic-end finding))
                         (flymake-diagnostic-text finding))))

(defun session-shown-with (&rest words)
  (session-shown (lambda (said) (cl-every (lambda (it) (string-match-p it said)) words))))

(defun session-choose (title)
  "Choose the code action TITLE at point, by its menu."
  (let (offered
        ;; The last key, by which Emacs knows that there is no mouse.
        (last-nonmenu-event ?\r))
    (cl-letf (((symbol-function 'completing-read)
               (lambda (_prompt choices &rest _)
                 (setq offered (all-completions "" choices))
                 (or (cl-find title offered :test #'string-prefix-p)
                     (error "%s is not offered" title)))))
      (condition-case wrong
          (call-interactively (if (equal session-client "eglot")
                                  #'eglot-code-actions
                                #'lsp-execute-code-action))
        (error (session-check (format "choose %s" title) nil (cons wrong offered)))))))

(defun session-said (words)
  "Whether WORDS were in the echo area, and so are in the buffer of messages."
  (with-current-buffer (messages-buffer)
    (save-excursion (goto-char (point-min)) (search-forward words nil t))))

(defun session-hover (words)
  "Wait for the description of what is at point until it has WORDS; return it."
  (let (shown)
    (session-eventually
     (lambda ()
       (setq shown
             (if (equal session-client "lsp-mode")
                 (save-window-excursion
                   (lsp-describe-thing-at-point)
                   (if (get-buffer "*lsp-help*")
                       (with-current-buffer "*lsp-help*" (buffer-string))
                     ""))
               (let (told)
                 (run-hook-with-args 'eldoc-documentation-functions
                                     (lambda (text &rest _) (push (format "%s" text) told)))
                 (session-eventually (lambda () (cl-find words told :test #'string-search)))
                 (mapconcat #'identity told "\n"))))
       (string-search words shown)))
    (substring-no-properties shown)))

(defun session-drawn (case)
  "Return the overlays that stand at the id of CASE."
  (save-excursion
    (session-go (concat "id: " case))
    (cl-loop for overlay in (overlays-in (point-min) (point-max))
             when (<= (line-beginning-position)
                      (or (overlay-get overlay 'lsp-lens-position) (overlay-start overlay))
                      (line-end-position))
             collect overlay)))

(defun session-verdict (case)
  "Return what is drawn at the id of CASE, its lens included."
  (mapconcat (lambda (overlay)
               (substring-no-properties (concat (overlay-get overlay 'before-string)
                                                (overlay-get overlay 'after-string))))
             (session-drawn case)
             ""))

(defun session-run-by-lens (case)
  "Click the lens of CASE, once it is drawn."
  (let ((lens (session-eventually
               (lambda ()
                 (and (string-search "Run case" (session-verdict case))
                      (cl-find-if (lambda (drawn) (overlay-get drawn 'lsp-lens))
                                  (session-drawn case)))))))
    (call-interactively
     (get-text-property 0 'action (car (overlay-get lens 'lsp--metadata))))))

(defun session-connected ()
  (if (equal session-client "eglot")
      (bound-and-true-p eglot--managed-mode)
    (and (bound-and-true-p lsp-managed-mode)
         (eq 'initialized (lsp--workspace-status (car (lsp-workspaces)))))))

(defvar session-opened nil "The addresses that a browser was asked for.")
(setq browse-url-browser-function (lambda (url &rest _) (push url session-opened)))

;; lsp-mode asks by a menu which folder the suite belongs to: to its repository.
(defvar lsp-auto-guess-root t)

(defun session ()
  (find-file (getenv "SUITECASE_SUITE"))
  (session-check "a suite has its mode" (eq major-mode 'suitecase-mode) major-mode)
  (session-check "which is a mode for YAML" (derived-mode-p 'yaml-mode))
  ;; What the command loop does after the key that opened the file.
  (run-hooks 'post-command-hook)
  (session-check "the client has a server" (session-eventually #'session-connected 30))
  (font-lock-ensure)
  (session-go "question }}")
  (session-check "a variable is highlighted"
                 (memq 'suitecase-variable (ensure-list (get-text-property (point) 'face)))
                 (get-text-property (point) 'face))

  ;; An overlap of ranges is underlined, behind characters that take more than one byte.
  (session-eventually (lambda () (session-shown-with "overlaps \\[0, 5\\]")))
  (let ((overlap (session-shown-with "overlaps \\[0, 5\\]")))
    (session-check "the overlap is underlined at its place"
                   (equal (mapcar #'car overlap) '("[5, 10]"))
                   (session-shown #'identity)))
  (session-go "score_ranges")
  (let ((hover (session-hover "What each score from 0 to 10 means")))
    (session-check "hover" (string-search "What each score from 0 to 10 means" hover) hover))

  ;; Its quick fix mends it.
  (session-go "[5, 10]")
  (session-choose "Change to [6, 10]")
  (session-check "the fix is in the text"
                 (save-excursion (goto-char (point-min)) (search-forward "[6, 10]" nil t)))
  (session-typed)
  (session-check "and its finding is gone"
                 (session-eventually (lambda () (not (session-shown-with "overlaps"))))
                 (session-shown #'identity))

  ;; Older spellings become today's.
  (session-check "older spellings are found" (session-shown-with "expected_outcome"))
  (cl-letf (((symbol-function 'completing-read)
             (lambda (_prompt choices &rest _) (car (all-completions "" choices)))))
    (session-go "outcome: Says hello")
    (suitecase-fix-all))
  (session-typed)
  (session-check "they are written in today's"
                 (save-excursion (goto-char (point-min))
                                 (and (search-forward "\n    expected_outcome: Says hello" nil t)
                                      (search-forward "\n        expected_outcome: says hello" nil t)))
                 (buffer-string))
  (session-check "nothing is left to find"
                 (session-eventually (lambda () (not (session-shown #'identity))))
                 (session-shown #'identity))

  ;; A case is run; the buffer is not saved.
  (session-go "Hello there")
  (if (equal session-client "eglot") (session-choose "Run case `greet`")
    (session-run-by-lens "greet"))
  (session-eventually (lambda () (cdr (session-shown-with "suitecase run\\|^fail\\|missed"))))
  (session-check "the verdict is at the case, the miss at its rubric"
                 (equal (sort (mapcar #'car (session-shown #'identity)) #'string<)
                        '("greet" "zebra"))
                 (session-shown #'identity))
  (session-check "the verdict is a fail" (session-shown-with "fail 0\\.[0-9][0-9]")
                 (session-shown #'identity))
  (session-check "which is shown at its id"
                 (session-eventually
                  (lambda () (string-match-p "✗ fail 0\\.[0-9][0-9]" (session-verdict "greet"))))
                 (session-verdict "greet"))
  (session-check "and said" (session-eventually (lambda () (session-said "Suitecase: greet: fail 0.")))
                 (with-current-buffer (messages-buffer) (buffer-string)))
  (session-go "id: greet")
  (forward-char 4)
  (let ((hover (session-hover "✗ fail")))
    (session-check "the hover has it too" (string-search "zebras" hover) hover))
  (session-check "the buffer is not saved" (buffer-modified-p))

  ;; A run that takes its time is cancelled.
  (session-go "Take your time")
  (suitecase-run-case)
  (session-check "the mode line says that a case is running"
                 (session-eventually (lambda () (equal mode-line-process " running 1")))
                 mode-line-process)
  (suitecase-cancel)
  (session-check "a run is cancelled"
                 (session-eventually (lambda () (session-said "ancelled")))
                 (with-current-buffer (messages-buffer) (buffer-string)))
  (session-check "which the mode line says too"
                 (session-eventually (lambda () (not mode-line-process)))
                 mode-line-process)

  ;; What is known of the run is read.
  (suitecase-open-report)
  (session-check "the report is opened"
                 (session-eventually (lambda () (and session-opened
                                                     (string-suffix-p ".html" (car session-opened)))))
                 session-opened)
  (let ((suite (current-buffer)))
    (session-go "Hello there")
    (suitecase-open-log)
    (session-check "the log is opened"
                   (session-eventually
                    (lambda ()
                      (with-current-buffer (window-buffer)
                        (and (not (eq (current-buffer) suite))
                             (save-excursion (goto-char (point-min))
                                             (search-forward "Hello there" nil t))))))
                   (window-buffer))
    (switch-to-buffer suite)))

(condition-case trouble
    (progn (session) (session-check "the session went to its end" t))
  (error (session-check "the session went to its end" nil trouble)))
(when (get-file-buffer (getenv "SUITECASE_SUITE"))
  (with-current-buffer (get-file-buffer (getenv "SUITECASE_SUITE"))
    (set-buffer-modified-p nil)
    (ignore-errors
      (if (equal session-client "eglot")
          (eglot-shutdown (eglot-current-server))
        (lsp-workspace-shutdown (car (lsp-workspaces)))))))
(kill-emacs (if (> session-failures 0) 1 0))

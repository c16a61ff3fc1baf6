;;; suitecase-verdicts.el --- Verdicts at the ids of cases  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Suitecase authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; For clients without code lenses: the last result of each case, after its id.
;; While a run goes on, the mode line says how many cases are left.

;;; Code:

(require 'suitecase-session)

(defface suitecase-pass '((t :inherit success))
  "Face for the verdict of a case that passed."
  :group 'suitecase)

(defface suitecase-rehearsed '((t :inherit shadow))
  "Face for the result of a case for which no model answered or judged."
  :group 'suitecase)

(defface suitecase-fail '((t :inherit error))
  "Face for the verdict of a case that failed or could not be graded."
  :group 'suitecase)

(defface suitecase-other '((t :inherit warning))
  "Face for the verdict of a case that neither passed nor failed, and for stale ones."
  :group 'suitecase)

(defvar-local suitecase-verdicts--unfinished nil
  "The ids of the cases of this buffer whose run is not over.")

(defvar-local suitecase-verdicts--pending nil
  "The timer that asks again once typing pauses.")

(defun suitecase-verdicts-note (buffer case state)
  "Note that CASE of BUFFER, an id, is in STATE of a run."
  (with-current-buffer buffer
    (setq suitecase-verdicts--unfinished (delete case suitecase-verdicts--unfinished))
    (when (member state '("queued" "started"))
      (push case suitecase-verdicts--unfinished))
    (setq mode-line-process
          (and suitecase-verdicts--unfinished
               (format " running %d" (length suitecase-verdicts--unfinished))))
    (force-mode-line-update)))

;;;###autoload
(define-minor-mode suitecase-verdicts-mode
  "Show behind the id of each case how it did last."
  :lighter nil
  (suitecase-verdicts--clear)
  (if (not suitecase-verdicts-mode)
      (remove-hook 'after-change-functions #'suitecase-verdicts--later t)
    (add-hook 'after-change-functions #'suitecase-verdicts--later nil t)
    (suitecase-verdicts-refresh (current-buffer))))

(defun suitecase-verdicts--clear ()
  "Remove the verdicts that are shown."
  (remove-overlays nil nil 'suitecase-verdict t))

(defun suitecase-verdicts--later (&rest _change)
  "Ask for the verdicts once typing pauses: a changed case has a stale one."
  (when (timerp suitecase-verdicts--pending) (cancel-timer suitecase-verdicts--pending))
  (setq suitecase-verdicts--pending
        (run-with-idle-timer 0.5 nil #'suitecase-verdicts-refresh (current-buffer))))

(defun suitecase-verdicts-refresh (buffer)
  "Ask for the verdicts of BUFFER, and show them."
  (when (and (buffer-live-p buffer) (buffer-local-value 'suitecase-verdicts-mode buffer))
    (with-current-buffer buffer
      (let ((asked (buffer-chars-modified-tick)))
        (suitecase-request
         "suitecase/discoverTests" (lambda (uri) (list :uri uri))
         (lambda (suite)
           ;; Places of a text that has changed since are wrong; it is asked again.
           (when (= asked (buffer-chars-modified-tick))
             (suitecase-verdicts--show (suitecase-get suite 'cases)))))))))

(defun suitecase-verdicts--show (cases)
  "Show the results of CASES of the server."
  (suitecase-verdicts--clear)
  (save-restriction
    (widen)
    (save-excursion
      (seq-do (lambda (case)
                (when-let ((result (suitecase-get case 'result)))
                  (goto-char (point-min))
                  (forward-line (suitecase-get
                                 (suitecase-get (suitecase-get case 'selectionRange) 'start)
                                 'line))
                  (let ((shown (make-overlay (line-beginning-position) (line-end-position))))
                    (overlay-put shown 'suitecase-verdict t)
                    (overlay-put shown 'after-string (suitecase-verdicts--worded result)))))
              cases))))

(defun suitecase-verdicts--worded (result)
  "Return what is shown of RESULT, a JSON object."
  (let ((stale (suitecase-get result 'stale)))
    (pcase-let ((`(,sign . ,face)
                 (pcase (suitecase-get result 'verdict)
                   ("pass" '("✓" . suitecase-pass))
                   ("rehearsed" '("○" . suitecase-rehearsed))
                   ("fail" '("✗" . suitecase-fail))
                   ((or "error" "judge_failed") '("!" . suitecase-fail))
                   ("borderline" '("~" . suitecase-other))
                   (_ '("?" . suitecase-other)))))
      (propertize (format "  %s %s%s" sign (suitecase-worded result) (if stale " (stale)" ""))
                  'face (if stale 'suitecase-other face)
                  ;; Point at the end of the line stands before it.
                  'cursor t))))

(provide 'suitecase-verdicts)
;;; suitecase-verdicts.el ends here

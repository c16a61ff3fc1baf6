"""Sharing the jobs of a run among processes.

The coordinator is the worker process that plans the run. It owns what is global: the results file,
the order of jobs, budget and costs, consecutive errors, the places and rate limits of targets, and
the cache of answers. Graders are processes that only grade. Each has a `Channel` to the coordinator:

    coordinator  -- Setup, once ------------------------------------------------------>  grader
                 -- Assigned, Cancelled, Stop ---------------------------------------->
                 <- Ready; Begun, Answered, Graded of each job -----------------------
                 <- Wanted, Returned; TurnWanted, Corrected; Find, Put; Noted; Alive --
                 -- Granted, Recalled; Turn; Found ----------------------------------->

- What a grader is given contains no secrets: placeholders of targets are filled in from the
  grader's own environment, and records leave it without secrets.
- A channel that closes means that the process at its other end is gone. The coordinator gives the
  jobs of a grader that is gone to others, with the target's answer where it arrived. Each of them
  that had begun then runs alone in its process; if that process ends, too, its record is an
  error. A grader whose coordinator is gone ends.
- The same code grades in processes on this machine (`children`) and elsewhere: what differs is
  the `Channel`.
"""

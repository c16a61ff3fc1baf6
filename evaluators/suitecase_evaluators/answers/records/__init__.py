"""Result records: what a results file has a line of for each case, how it is read and counted."""

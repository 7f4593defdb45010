"""How well passages are found: question sets, judging, measures. Nothing here runs in `serve`."""

"""Annotation: a page on which a person labels sentences, while a model learns from them and suggests.

    TEXTS ─▶ pool ─▶ choosing: least sure first ─▶ page: suggestions, corrections ─▶ session ─▶ labelled file (fsync)
                         ▲                                                            │
                         └── teacher: a thread that trains, ranks, scores ◀───────────┘ ─▶ model file

The labelled file is the only thing that counts. Everything else (model, order, scores) is made from it, so a process
that is killed loses nothing that it has acknowledged, and a new one goes on where the old one was.

    labelling       spans of types or a tag for each word ⇄ labels of tokens
    pool            the sentences to label, from any file that `tagfield tag` reads
    labelled_file   sentences with their labels: append, take back, read again
    learning        a model from few sentences, or from a model and few sentences
    choosing        which sentence comes next
    progress        how much the model gets right
    teacher         the thread that learns
    session         who labels what: leases, answers, undo
    app             the paths, on the server of `tagfield serve`; page/ has the page
"""

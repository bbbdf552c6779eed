"""The service: models behind HTTP, with a page to try them on. Needs `pip install 'tagfield[serve]'`.

    socket ─▶ http (uvicorn: headers, slow clients) ─▶ app: token, host, limits, routes
                                                         │ bodies
                     answers ◀─ answering ◀─ batches: a queue, a pool of threads
                                   │
             requests (JSON ─▶ what is asked) · pins · decoding · explaining · writing (answers ─▶ JSON)
                                   │
                               registry: models by name, replaced when their files are

The event loop moves bytes. A thread of the pool parses a batch of bodies, groups those that ask for the same, decodes
each group in one call of the kernels, and writes the answers; one message to the loop delivers all of them.

Nothing else in tagfield imports this room, and it imports uvicorn only when a server starts.
"""

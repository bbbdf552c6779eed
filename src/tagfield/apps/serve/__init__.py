"""The service: models behind HTTP, with a page to try them on. Needs `pip install 'tagfield[serve]'`.

    socket ─▶ http (uvicorn: headers, slow clients) ─▶ app: token, host, limits, routes
                                                         │ bodies
                     answers ◀─ answering ◀─ batches: queues, a pool of threads
                                   │
             requests (JSON ─▶ what is asked) · pins · decoding · explaining · writing (answers ─▶ JSON)
                                   │
                               registry: models by name, replaced when their files are

The event loop collects the bodies that arrive in one turn. They are parsed, grouped by what they ask for, and decoded a
group at a time in one call of the kernels. Large bodies go to a thread, so that the small ones need not wait for them.

Nothing else in tagfield imports this room, and it imports uvicorn only when a server starts.
"""

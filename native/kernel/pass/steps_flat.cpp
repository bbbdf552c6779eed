// The steps of the preconditioner flat.
#include "kernel/pass/owned_loops.hpp"

namespace tagfield {

template std::unique_ptr<OwnedStep> make_loops<Preconditioner::FLAT>(const Corpus&, const Layout&, const Pass&, const ChainForm&, const Share&);

}  // namespace tagfield

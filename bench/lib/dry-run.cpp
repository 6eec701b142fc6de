// Asks llama.cpp's own library what contexts take, for a header without weights: nothing is allocated. A line in, a
// line out, as `engine-dry-runs.ts` writes and reads them:
//   load PATH                                "ok", or what the engine says is wrong with the file
//   context TYPE TOKENS UBATCH OUTPUTS       bytes of cells, states and compute buffer, or "refused"
// OUTPUTS: of how many tokens of a batch logits are reserved; of one by llama-server, of all by node-llama-cpp.
#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>
#include "ggml-backend.h"
#include "llama-ext.h"

static std::string complaint;

static void on_log(ggml_log_level level, const char * text, void *) {
    if (level == GGML_LOG_LEVEL_ERROR) complaint += text;
}

static llama_model * load(const std::string & path) {
    auto params = llama_model_default_params();
    params.no_alloc = true;
    params.load_mode = LLAMA_LOAD_MODE_NONE;
    params.n_gpu_layers = 0;
    complaint.clear();
    return llama_model_load_from_file(path.c_str(), params);
}

static std::string context_bytes(llama_model * model, std::istream & words) {
    std::string type;
    auto params = llama_context_default_params();
    words >> type >> params.n_ctx >> params.n_ubatch >> params.n_outputs_max;
    params.n_batch = params.n_ubatch;
    params.n_seq_max = 1;
    params.n_threads = params.n_threads_batch = 1;
    params.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_ENABLED;
    params.type_k = params.type_v = type == "f16" ? GGML_TYPE_F16 : type == "q8_0" ? GGML_TYPE_Q8_0 : GGML_TYPE_Q4_0;
    params.swa_full = false;
    llama_context * context = llama_init_from_model(model, params);
    if (context == nullptr) return "refused";
    size_t bytes = 0;
    for (const auto & [buffer, part] : llama_get_memory_breakdown(context)) bytes += part.context + part.compute;
    llama_free(context);
    return std::to_string(bytes);
}

int main(int, char ** argv) {
    llama_log_set(on_log, nullptr);
    ggml_backend_load_all_from_path(argv[1]);
    llama_model * model = nullptr;
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string verb;
        words >> verb >> std::ws;
        if (verb == "load") {
            std::string path;
            std::getline(words, path);
            if (model != nullptr) llama_model_free(model);
            model = load(path);
            std::replace(complaint.begin(), complaint.end(), '\n', ' ');
            std::cout << (model == nullptr ? complaint : "ok") << std::endl;
        } else {
            std::cout << (model == nullptr ? "refused" : context_bytes(model, words)) << std::endl;
        }
    }
}

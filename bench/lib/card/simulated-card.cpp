// Cards for llama.cpp that are made of main memory: it places, allocates and computes on them as on real ones, says what
// each of them took, and finds no room where one is full. The processor does their work.
//   -DCARD_BYTES=8589934592,8589934592      the memory of each card
//   -DCARD_ROOM=100                         what it really has of that, in percent
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include "ggml-backend-impl.h"
#include "ggml-impl.h"

struct card {
    std::string name;
    size_t total;
    std::atomic<size_t> used{0};
    ggml_backend_buffer_type buft;
    ggml_backend_device device;
};

static card * card_of(ggml_backend_buffer_type_t buft) { return static_cast<card *>(buft->context); }
static card * card_of(ggml_backend_dev_t device) { return static_cast<card *>(device->context); }
static ggml_backend_dev_t processor() { return ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU); }

static void buffer_free(ggml_backend_buffer_t buffer) {
    card_of(buffer->buft)->used -= buffer->size;
    free(buffer->context);
}
static void * buffer_base(ggml_backend_buffer_t buffer) { return buffer->context; }
static void buffer_memset(ggml_backend_buffer_t, ggml_tensor * tensor, uint8_t value, size_t offset, size_t size) {
    memset(static_cast<char *>(tensor->data) + offset, value, size);
}
static void buffer_set(ggml_backend_buffer_t, ggml_tensor * tensor, const void * data, size_t offset, size_t size) {
    memcpy(static_cast<char *>(tensor->data) + offset, data, size);
}
static void buffer_get(ggml_backend_buffer_t, const ggml_tensor * tensor, void * data, size_t offset, size_t size) {
    memcpy(data, static_cast<const char *>(tensor->data) + offset, size);
}
static void buffer_clear(ggml_backend_buffer_t buffer, uint8_t value) { memset(buffer->context, value, buffer->size); }

static const char * buft_name(ggml_backend_buffer_type_t buft) { return card_of(buft)->name.c_str(); }
static size_t buft_alignment(ggml_backend_buffer_type_t) { return 128; }

static ggml_backend_buffer_t buft_alloc(ggml_backend_buffer_type_t buft, size_t size) {
    card * own = card_of(buft);
    void * memory = own->used + size > own->total / 100 * CARD_ROOM ? nullptr : aligned_alloc(128, GGML_PAD(size + 1, 128));
    if (memory == nullptr) {
        GGML_LOG_ERROR("allocating %.2f MiB on %s: out of memory\n", size / 1024.0 / 1024.0, own->name.c_str());
        return nullptr;
    }
    own->used += size;
    ggml_backend_buffer_i iface = {};
    iface.free_buffer = buffer_free;
    iface.get_base = buffer_base;
    iface.memset_tensor = buffer_memset;
    iface.set_tensor = buffer_set;
    iface.get_tensor = buffer_get;
    iface.clear = buffer_clear;
    return ggml_backend_buffer_init(buft, iface, memory, size);
}

/** Main memory as a driver gives it: weights there are taken to the card for a long prompt. */
static const char * host_name(ggml_backend_buffer_type_t) { return "Simulated_Host"; }
static size_t host_alignment(ggml_backend_buffer_type_t) { return ggml_backend_buft_get_alignment(ggml_backend_cpu_buffer_type()); }
static bool host_is_host(ggml_backend_buffer_type_t) { return true; }
static ggml_backend_buffer_t host_alloc(ggml_backend_buffer_type_t buft, size_t size) {
    ggml_backend_buffer_t buffer = ggml_backend_buft_alloc_buffer(ggml_backend_cpu_buffer_type(), size);
    if (buffer != nullptr) buffer->buft = buft;
    return buffer;
}

static const char * backend_name(ggml_backend_t backend) { return card_of(backend->device)->name.c_str(); }
static void backend_free(ggml_backend_t backend) {
    ggml_backend_free(static_cast<ggml_backend_t>(backend->context));
    delete backend;
}
static ggml_status backend_compute(ggml_backend_t backend, ggml_cgraph * graph) {
    return ggml_backend_graph_compute(static_cast<ggml_backend_t>(backend->context), graph);
}

/** All is done at once, so there is nothing to wait for. With events, several cards work on parts of a batch in turn. */
static void backend_event(ggml_backend_t, ggml_backend_event_t) {}
static void backend_synchronize(ggml_backend_t) {}
static ggml_backend_event_t event_new(ggml_backend_dev_t device) { return new ggml_backend_event{device, nullptr}; }
static void event_free(ggml_backend_dev_t, ggml_backend_event_t event) { delete event; }
static void event_synchronize(ggml_backend_dev_t, ggml_backend_event_t) {}

static ggml_backend_t device_init(ggml_backend_dev_t device, const char *) {
    static ggml_guid guid = {0x64, 0x65, 0x77, 0x70, 0x6f, 0x69, 0x6e, 0x74, 0x63, 0x61, 0x72, 0x64, 0x73, 0, 0, 1};
    ggml_backend_i iface = {};
    iface.get_name = backend_name;
    iface.free = backend_free;
    iface.graph_compute = backend_compute;
    iface.synchronize = backend_synchronize;
    iface.event_record = iface.event_wait = backend_event;
    ggml_backend_t worker = ggml_backend_dev_init(processor(), nullptr);
    void * found = ggml_backend_reg_get_proc_address(processor()->reg, "ggml_backend_set_n_threads");
    // More than one would wait for each other on a busy machine.
    if (found != nullptr) reinterpret_cast<ggml_backend_set_n_threads_t>(found)(worker, 1);
    return new ggml_backend{&guid, iface, device, worker};
}

static const char * device_name(ggml_backend_dev_t device) { return card_of(device)->name.c_str(); }
static void device_memory(ggml_backend_dev_t device, size_t * available, size_t * total) {
    *total = card_of(device)->total;
    *available = *total - card_of(device)->used;
}
static enum ggml_backend_dev_type device_type(ggml_backend_dev_t) { return GGML_BACKEND_DEVICE_TYPE_GPU; }
static void device_props(ggml_backend_dev_t device, ggml_backend_dev_props * props) {
    *props = {};
    props->name = props->description = device_name(device);
    props->type = GGML_BACKEND_DEVICE_TYPE_GPU;
    props->caps.async = props->caps.host_buffer = props->caps.events = true;
    device_memory(device, &props->memory_free, &props->memory_total);
}
static ggml_backend_buffer_type_t device_buft(ggml_backend_dev_t device) { return &card_of(device)->buft; }
static ggml_backend_buffer_type_t device_host_buft(ggml_backend_dev_t device) {
    static ggml_backend_buffer_type buft = {{host_name, host_alloc, host_alignment, nullptr, nullptr, host_is_host}, device, nullptr};
    return &buft;
}
static bool supports_op(ggml_backend_dev_t, const ggml_tensor * op) {
    return ggml_backend_dev_supports_op(processor(), op);
}
static bool supports_buft(ggml_backend_dev_t device, ggml_backend_buffer_type_t buft) { return buft == device_buft(device); }

/** As CUDA does: a long prompt takes the weights that lie in main memory to the card. */
static bool offload_op(ggml_backend_dev_t, const ggml_tensor * op) {
    const bool is_third = op->op == GGML_OP_MUL_MAT_ID || op->op == GGML_OP_ROPE || op->op == GGML_OP_ROPE_BACK;
    const int64_t rows = op->op == GGML_OP_GET_ROWS ? 0
                       : op->op == GGML_OP_MUL_MAT  ? op->ne[1]
                       : is_third                   ? op->ne[2]
                                                    : ggml_nrows(op);
    return rows >= 32;
}

static std::vector<card *> cards;

static const char * reg_name(ggml_backend_reg_t) { return "Simulated"; }
static size_t reg_count(ggml_backend_reg_t) { return cards.size(); }
static ggml_backend_dev_t reg_device(ggml_backend_reg_t, size_t index) { return &cards[index]->device; }

static ggml_backend_reg_t make_reg() {
    static ggml_backend_reg reg = {GGML_BACKEND_API_VERSION, {reg_name, reg_count, reg_device, nullptr}, nullptr};
    if (!cards.empty()) return &reg;
    for (const size_t bytes : {CARD_BYTES}) {
        card * own = new card{"Simulated" + std::to_string(cards.size()), bytes, {}, {}, {}};
        own->buft = {{buft_name, buft_alloc, buft_alignment, nullptr, nullptr, nullptr}, &own->device, own};
        own->device = {{}, &reg, own};
        ggml_backend_device_i & iface = own->device.iface;
        iface.get_name = iface.get_description = device_name;
        iface.get_memory = device_memory;
        iface.get_type = device_type;
        iface.get_props = device_props;
        iface.init_backend = device_init;
        iface.get_buffer_type = device_buft;
        iface.get_host_buffer_type = device_host_buft;
        iface.supports_op = supports_op;
        iface.supports_buft = supports_buft;
        iface.offload_op = offload_op;
        iface.event_new = event_new;
        iface.event_free = event_free;
        iface.event_synchronize = event_synchronize;
        cards.push_back(own);
    }
    return &reg;
}

GGML_BACKEND_DL_IMPL(make_reg)

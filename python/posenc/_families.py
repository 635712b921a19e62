"""What the rotary classes of transformers 5.23.0 return, by the model_type of their config.

python/tests_index/test_families.py compares each of these classes with this file and with posenc.
"""

from __future__ import annotations

from typing import Any

# FAMILIES has the model types for each layout, dtype and axes.
#
# layout: "halves" returns the columns of all frequencies and then all of them again, "pairs" returns each column twice
# in a row, "half" returns each column once, and "complex" returns one tensor of cos + i sin.
#
# dtype: "x" is the dtype of the argument x. "float32" is float32 or complex64 for any x.
#
# axes: if there are none, a token has one position. Otherwise it has three: time, height and width (axes 0, 1 and 2).
# The numbers are the sections that apply if the config has no mrope_section. With these words, frequency k belongs to
#   "sections"     axis i % 3, where i is the section that contains k;
#   "interleaved"  axis k % 3 if k < 3 * section[k % 3], else time;
#   "ernie"        height if k is even and width if k is odd, in the first two sections, and time in the third.
# With the rope_type "axial", a token has two positions, height and width, or three, along the last axis of position_ids.
# Each of these axes has n frequencies, and the numbers are axes in the order of the columns:
#   "axial blocks" has all frequencies of the first of these axes, then all of the next;
#   "axial turns"  has the first frequency for each of these axes, then the second;
#   "axial shares" has blocks too, but axis i of two has only the frequencies i, i + 2, .. of 2 n.
FAMILIES = {
    "complex, float32": """
        deepseek_v2 llama4_text
    """,
    "half, x": """
        deepseek_v4 gpt_oss openai_privacy_filter
    """,
    "half, x, axial blocks 0 0 1 1": """
        gemma4_vision
    """,
    "halves, float32": """
        beam ernie4_5 ernie4_5_moe flex_olmo lfm3 olmo olmo2 olmo3 olmo_hybrid
    """,
    "halves, float32, axial blocks 0 1": """
        cohere_compass_vision dots3_note_vision_encoder ernie4_5_vl_moe_vision exaone4_5_vision glm4v_moe_vision
        glm4v_vision glm5_next_vision glm_ocr_vision lfm3_vl_vision mlcd_vision_model paddleocr_vl_vision
        qwen2_5_omni_vision_encoder qwen2_5_vl_vision qwen2_vl_vision qwen3_5_moe_vision qwen3_5_vision
        qwen3_omni_moe_vision_encoder qwen3_vl_moe_vision qwen3_vl_vision qwen4_exp_vision video_llama_3_vision
    """,
    "halves, float32, axial blocks 1 0": """
        step3p5_vision
    """,
    "halves, float32, axial turns 1 0": """
        kimi_k25_vision
    """,
    "halves, x": """
        afmoe apertus arcee aria_text axk1 axk2 bailing_hybrid bamba bitnet chameleon csm csm_depth_decoder_model cwm
        dbrx deepseek_ocr2_encoder deepseek_ocr2_text deepseek_v3 deepseek_v32 dia_decoder dia_encoder diffllama
        diffusion_gemma_text doge dots1 dots3_note_audio_encoder dots3_note_text embedding_gemma2_text emu3_text_model
        esm esmc eurobert evolla exaone4 exaone_moe falcon falcon_h1 flint gemma gemma2 gemma3_text gemma3n_text
        gemma4_text gemma4_unified_text glm glm4 glm4_moe glm4_moe_lite glm_moe_dsa glmasr_encoder gpt_neox
        gpt_neox_japanese gradium_phonon_tts granite granite4_vision_text granite_docling_text granite_swa granitemoe
        granitemoe_swa granitemoehybrid granitemoeshared gte helium higgs_audio_v2 hrm_text hunyuan_v1_dense
        hunyuan_v1_moe hy_v3 hy_v4 hyperclovax idefics internlm3 iquestcoder jais2 jetmoe jina_embeddings_v3 kolibri1
        kyutai_speech_to_text laguna lasr_encoder lfm2 lfm2_moe llama longcat_flash mellum mimi mimo_v2_flash minicpm3
        minimax minimax_m2 minimax_m3_vl_text ministral ministral3 mistral mistral4 mixtral mllama_text_model modernbert
        modernbert-decoder molmo2_text moonshine moonshine_streaming moshi muse_glimmer_assistant muse_glimmer_text
        muse_spark_text nanochat nemotron nemotron3_5_transcribe_asr_audio nemotron3_5_transcribe_word_timestamp
        nemotron3_diarization_audio neucodec nomic_bert olmoe pe_audio_encoder pe_audio_video_encoder pe_video_encoder
        persimmon phi phi3 phi4_multimodal phimoe pocket_tts pocket_tts_audio_tokenizer qwen2 qwen2_5_omni_dit qwen2_moe
        qwen3 qwen3_moe qwen3_next qwen3_omni_moe_talker_code_predictor recurrent_gemma seed_oss smollm3 solar_open
        stablelm starcoder2 step3p5 t5_gemma_module t5gemma2_decoder t5gemma2_text timesfm2_5 ultrabert
        unlimited_ocr_text vaultgemma voxtral_realtime_encoder voxtral_realtime_text xcodec2 youtu zamba2 zaya
    """,
    "halves, x, axial blocks 0 1": """
        muse_glimmer_vision muse_spark_vision
    """,
    "halves, x, axial blocks 0 1 2": """
        minimax_m3_vl_vision
    """,
    "halves, x, axial shares 0 1": """
        pixtral
    """,
    "halves, x, interleaved 11 11 10": """
        qwen3_5_moe_text qwen3_5_text qwen4_exp_text
    """,
    "halves, x, interleaved 24 20 20": """
        cohere_compass_text cosmos3_edge_text qwen3_omni_moe_talker_text qwen3_omni_moe_text qwen3_vl_moe_text
        qwen3_vl_text
    """,
    "halves, x, sections 16 24 24": """
        paddleocr_vl_text qwen2_5_omni_talker qwen2_5_omni_text qwen2_5_vl_text qwen2_vl_text
    """,
    "halves, x, sections 8 12 12": """
        glm4v_moe_text glm_image_text
    """,
    "pairs, float32, axial blocks 1 0": """
        inkling2_vision
    """,
    "pairs, float32, ernie 22 22 20": """
        ernie4_5_vl_moe_text
    """,
    "pairs, x": """
        blt_global_transformer blt_local_decoder blt_local_encoder blt_patcher cohere cohere2 cohere2_moe
    """,
    "pairs, x, sections 8 12 12": """
        glm4v_text glm_ocr_text
    """,
}

# These types read partial_rotary_factor for every rope_type. All others ignore it if rope_type is "default".
PARTIAL = """
    bamba deepseek_v4 diffusion_gemma_text dots3_note_audio_encoder dots3_note_text glm glm4 glm4_moe glm4_moe_lite
    glm4v_moe_text glm4v_text glm_image_text glm_ocr_text glmasr_encoder gpt_neox gpt_neox_japanese laguna mellum
    mimo_v2_flash minimax_m2 minimax_m3_vl_text moonshine moonshine_streaming nemotron nemotron3_5_transcribe_asr_audio
    nemotron3_5_transcribe_word_timestamp nemotron3_diarization_audio persimmon phi phi3 phi4_multimodal
    qwen3_5_moe_text qwen3_5_text qwen3_next qwen4_exp_text recurrent_gemma solar_open stablelm step3p5 zaya
"""

# What transformers takes for a key that is missing in the config.json of these types, which are those of Llama 2, 3 and
# 3.1, Qwen 2.5, Qwen2-VL, Mistral, Phi-3, Gemma 3 and 4, gpt-oss and GPT-NeoX. Other types have no defaults here.
DEFAULTS: dict[str, dict[str, Any]] = {
    "llama": dict(max_position_embeddings=2048, rope_theta=1e4),
    "qwen2": dict(max_position_embeddings=32768, rope_theta=1e4),
    "qwen2_vl_text": dict(max_position_embeddings=32768, rope_theta=1e6),
    "mistral": dict(max_position_embeddings=131072, rope_theta=1e4),
    "phi3": dict(max_position_embeddings=4096, original_max_position_embeddings=4096, rope_theta=1e4,
        partial_rotary_factor=1.0),
    "gemma3_text": dict(head_dim=256, max_position_embeddings=131072, rope_theta=1e6, rope_local_base_freq=1e4),
    "gemma4_text": dict(head_dim=256, global_head_dim=512, max_position_embeddings=131072),
    "gpt_oss": dict(head_dim=64, max_position_embeddings=131072, rope_theta=150000.0, rope_parameters=dict(
        rope_type="yarn", factor=32.0, original_max_position_embeddings=4096, beta_fast=32.0, beta_slow=1.0, truncate=False,
    )),
    "gpt_neox": dict(max_position_embeddings=2048, rope_theta=1e4, partial_rotary_factor=0.25),
}  # fmt: skip

# The config.json of these types must have head_dim: transformers does not take hidden_size / num_attention_heads for it.
OWN_HEAD = """
    beam deepseek_v4 dia_encoder dots3_note_text embedding_gemma2_text ernie4_5 flint gemma gemma2
    gemma4_unified_text glm4_moe glm4v_moe_text hy_v3 jetmoe kolibri1 laguna mimo_v2_flash mistral4
    muse_glimmer_assistant muse_glimmer_text openai_privacy_filter qwen3_5_moe_text qwen3_next
    qwen3_omni_moe_talker_code_predictor qwen3_omni_moe_text seed_oss t5_gemma_module t5gemma2_decoder t5gemma2_text
    vaultgemma voxtral_realtime_encoder zamba2 zaya
"""

# These types take qk_rope_head_dim for the columns of a head, even if the config.json has a head_dim.
ROPE_HEAD = "axk2 bailing_hybrid deepseek_v2 deepseek_v32 glm_moe_dsa hy_v4 minicpm3"

# These types ignore some keys that others read.
IGNORED = {
    "deepseek_ocr2_text": ("head_dim", "qk_rope_head_dim"),
    "gpt_neox": ("rope_theta", "partial_rotary_factor"),
    "unlimited_ocr_text": ("head_dim", "qk_rope_head_dim"),
}

# These types need rope_parameters for each type of layers, in a config.json of transformers 5.
BY_LAYER = "gemma3_text gemma3n_text olmo3 t5gemma2_decoder t5gemma2_text"

# A model of these types has a rotary embedding if this key has one of these values; without the key, if None is one.
OPTIONAL: dict[str, tuple[str, tuple[Any, ...]]] = {
    "esm": ("position_embedding_type", ("rotary",)),
    "falcon": ("alibi", (None, False)),
    "granitemoehybrid": ("position_embedding_type", ("rope",)),
    "zamba2": ("use_mem_rope", (True,)),
}

# For these types, transformers 5 does not take rope_theta and rope_scaling as they were written by transformers 4.
OWN_PARAMETERS = """
    apertus beam cohere2_moe cosmos3_edge_text cwm deepseek_v4 diffusion_gemma_text dots3_note_text
    embedding_gemma2_text gemma3n_text gemma4_text gemma4_unified_text gpt_neox_japanese higgs_audio_v2 laguna lfm3
    mellum mimo_v2_flash ministral3 mistral4 modernbert modernbert-decoder moonshine_streaming muse_spark_text
    nemotron3_5_transcribe_asr_audio nemotron3_5_transcribe_word_timestamp olmo3 openai_privacy_filter step3p5
    t5gemma2_decoder t5gemma2_text ultrabert zaya
"""

# What posenc.torch.RotaryEmbedding does not support, and the model types that need it.
UNSUPPORTED = {
    "a result with one axis more than position_ids": """
        edgetam_video sam2_video sam3_tracker_video sam3_vit_model
    """,
    "frequencies that a checkpoint scales (alpha)": """
        mistral_large4_text
    """,
    "other arguments than x and position_ids": """
        clvp_encoder efficientloftr eomt_dinov3 llama4_vision_model musicflamingo seamless_m4t wav2vec2-bert
        wav2vec2-conformer
    """,
    "positions of two or four axes": """
        hunyuan_vl_text neomme
    """,
}

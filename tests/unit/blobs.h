static const char blob_of_a_peer[] =
    "fd1:eNoNiT0KgDAMRu_yzVUobrmKONQmLhYjbRCl9O5mez8dDygGmGoB4f5Mmk1HSaewZtOK4NHPMsfo"
    "fCmLW9qzS3qlgfoI0MpSQes2fg8yGVM";
static const char blob_newer[] =
    "fd1:eNpVTUsOwiAUvMtbV8JHK7D3FMYY0lJtRCBAm5Kmd_exdDXfzOywguYdlBAcaJic-dRTsjEF6GC1"
    "Kc_Bo08JIxSdWFEIwhhyH0bb1FXRq5BsUmqQSvWYFJsLJg2ehsSq9Yau2WwGvUPyrwb4y_DCuKWtcAnH"
    "0UFIo02g7w-8SrMvrRjfJrfKYJxr4zU2dUOa52L_fgTgRl6-oAWXgvL-cpbHD1B3QkI";
static const char blob_smuggled[] =
    "fd1:eNpVTUsKgzAQvcusbTANqMm-pyilBI2tNCZhEkUR794ZuurqfXnvgBWMrKDE6MHA6O1nv6BLGKGC"
    "1WGeYiC_FlLU5KSdhBJSEg9xcKxaXbeqk6PWfad1Q0lxuVDC8LQi7cZs5NrNZTAHYHgx_H5X6xdeuXZw"
    "nhVEHByCuT_oCqdQuJjeNnOlt97z-J5Y3Yjmqbi_HwW00cd5tmGgAGcuLTM9dbLRdaPV-QUhd0a_";
static const char blob_bad_sum[] =
    "fd1:eNpVTUsOwiAUvMtbV1JEpbD3FMYY0lJtRCBAm5Kmd_e9uHI138xssIDmDZQQHGgYnXnXQ7IxBWhg"
    "sSlPwaPfMs5adGJFIRjnyH0YLCmpWik6PirVd0pdMCk2F0wIHobFqvWKrlltBr1B8k-C3-9i3Ewrxw72"
    "vYGQBptA3-54lSZfqBhfJlOlN87ReI2krkjzVOzfjwDcyPMHtOBneZJSKLV_AU_cQk8";
static const char blob_other_test[] =
    "fd1:eNpVTUsOwiAUvMtbVwJFUdh7CmMMbak2IhCgTUnTu_uIK1fzzcwGCyjWQPbegoLR6nc5RBOihwYW"
    "E9PkHfqUMELRCQUFJ4whd34wqOQo2o53vRZSijPlmGSTMiYVHpqEotSKrl5NArVBdM8Kv99F27mutBfY"
    "9wZ8HEwEdbvjVZxcrsXw0qlWem1tHS-hqivSNGXz98MBN9L8AdVSfhL8yLncv5tMQrc";
static const char blob_unknown_axis[] =
    "fd1:eNpVTUsOgjAQvcuskVAbLe3eUxhjGhgCsdKmLUhDuLszceXqffPeDisYUUH23oGBwdlXOUUM0UMF"
    "K8Y0-Zn8phZ1Q04oJGQtBPHZ98hK6UbJVgxad63WV0oypkwJw9PWoRizkWs3TGB2-KDNI0amv-_VuoWX"
    "BBxHBT72HN4f9BanOXMvjDZxo7PO8X4JrG5E05Tx70oCbaTlDUZexLmVWil5fAFT_EO4";
static const char blob_axis_newer[] =
    "fd1:eNpVTUsOgyAUvMtbWwJiVNj3FE3TEMXWlAIBNJLGu_e9ZVfzzcwXdtCigRKCAw2LM-96STamAA3s"
    "NuU1ePQ5E4yjEysKyYRA7sNsSQ2KD3IUi1LTqFSPSbG5YELwMCxWrQ90zWEz6C8k_yTA3xYvjNtoRcB5"
    "NhDSbBPo2x2f0uoL9eLLZGpMxjnarpHUFWlei_27kYAbefuAluPQdrzrRXv-ABUEQgU";
static const char blob_axis_list[] =
    "fd1:eNpVjEEOwiAQRe8y60rAJtJh7ymMMaSdaiMCAWxKmt7dYelq_ns_83dYwagOSggODMzOvuspUUwB"
    "Olgp5SV49lIoIdnEytALpTj7MFEjjVL3g5oRxwHxwk2hXLhp52FFrMZsbO1GGcwNkn_CvYOQJkrMHGNa"
    "PD_sEF82t83ROtd2amx05ZiXQn-TPRxsvx8wZ4kSUSp9_AD37jwB";

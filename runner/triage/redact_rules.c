#include "triage/redact_rules.h"

#include "triage/redact_keep.h"

/* Where a word begins, also behind the "\\n" of a text that is shown escaped. */
#define EDGE     "(?:(?<![a-z0-9])|(?<=\\\\[nrt]))"
#define RUN_EDGE "(?:(?<![\\w-])|(?<=\\\\[nrt]))"
/* Between a name and its value: {"name": "…, (b'name', b'…, name = …; a quote may be escaped. */
#define IS "\\\\?[\"']?\\s{0,4}[:=,]\\s{0,4}(?:b?\\\\?[\"'])?"

/* Kinds of keys: what stands before "key" in a name. */
#define KEYS                                                                                       \
    "(?:api|access|private|account|subscription|encryption|signing|master|shared|deploy|consumer|" \
    "license|storage|client|ssh|app)[-_]?key"

const struct redact_rule redact_rules[REDACT_RULES] = {
    /* To its end or, where that was cut off, to the end of the text. */
    {"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]++|-(?!----END))*+"
     "(?:-----END [^\\n-]{0,60}-----)?",
     NULL},
    {RUN_EDGE "eyJ[\\w-]{5,}+(?:\\.[\\w-]*+){2,4}+", NULL},
    /* https://user:PASSWORD@host; an "@" within is a mistake that people make. */
    {"://[^\\s:/@\"'<>]{0,256}+:((?:[^\\s@/\"'<>]{0,512}+@){1,4}+)", NULL},
    {"://([^\\s:/@\"'<>]{20,512}+@)", NULL},
    /* Headers. Those with parameters to the end of the line, quoted ones to the last quote. */
    {"authorization" IS "(?:aws4-[a-z0-9-]{1,40}+|digest|oauth|hawk)\\s([^\\n]{2,4096}+)", NULL},
    {"authorization" IS "(?:(?:bearer|basic|token|negotiate|apikey)\\s{1,4}+)?"
     "([^\\s\"'\\\\]{2,16384}+)",
     keep_header},
    {EDGE "(?:bearer|basic)\\s{1,4}+([\\w.~+/=-]{6,16384}+)", keep_scheme},
    {EDGE "(?:set-)?cookie" IS "([\\w.!#$%&*+^`|~-]{1,128}+=[^\\n\"'\\\\]{1,8192}+)", NULL},
    {"<Cookie [\\w.!#$%&*+^`|~-]{1,128}+=([^\\s>]{1,8192}+)", NULL},
    {"[?&;](?:x-(?:amz|goog)-(?:signature|credential|security-token)|sig|signature|"
     "awsaccesskeyid|(?:access_?|id_?|refresh_?|auth_?)?token|api[_-]?key|password|secret|"
     "client_secret|code(?==[^&\\s]{16})|key(?==[^&\\s]{16}))=([^&\\s\"'<>#\\\\]{1,8192}+)",
     NULL},
    /* A passphrase is of several words. */
    {"passphrase\\s?[:=]\\s?([^\\s\"'\\\\][^\\n\"'\\\\]{1,512}+)", keep_sentence},
    {"(?:password|passwd|passphrase|(?<=[_-])pwd\\b|(?:db|user|root|smtp|ftp|mail|admin|proxy)[-_]?"
     "pass\\b|\\bpwd(?=\\s?[=:]\\s?[\"'])|secret|"
     "(?<!max_|max-)token(?!s\\b|s_|_count|_limit|_type|i[sz]e)|" KEYS "|credential|"
     "\\bauth\\b|(?<=[-_])auth\\b|session[-_]?(?:id|key)|phpsessid|\\bsid\\b)"
     "[\\w-]{0,40}+\\\\?[\"']?\\]?\\s{0,8}+(?:=>|={1,3}|:(?!:))\\s{0,8}+"
     "(?|[rbuf]{0,2}\\\\?\"((?:[^\"\\\\\\n]++|\\\\[^\"\\n])++)|"
     "[rbuf]{0,2}\\\\?'((?:[^'\\\\\\n]++|\\\\[^'\\n])++)|([^\\s\"',;)}\\]&\\\\]{1,4096}+))",
     keep_value},
    {EDGE "(?:signature|hmac)\\s?[=:]\\s?[\"']?([\\w+/=-]{16,1024}+)", keep_name},
    {EDGE "auth\\s?=\\s?\\(\\s?[\"'][^\"'\\n]{0,256}+[\"'],\\s?[\"']([^\"'\\n]{1,1024}+)", NULL},
    /* On command lines. */
    {"(?<![\\w-])--?(?:password|passwd|passphrase|token|secret|api-?key|auth)[= ]\\s{0,4}+"
     "[\"']?([^\\s\"'-][^\\s\"']{2,1024}+)",
     keep_option},
    {"(?<![\\w-])(?:-u|--user|--proxy-user|-U)[= ]?\\s{0,4}+[\"']?"
     "[\\w.@\\\\+-]{1,128}+:(?!:)([^\\s:\"']{3,512}+)(?!:)",
     keep_number},
    {EDGE "(?:sshpass\\s{1,4}+-p|redis-cli\\s[^\\n]{0,200}?-a|(?:mysql|mariadb)[a-z]{0,10}\\s"
          "[^\\n]{0,200}?\\s-p(?!\\s))\\s{0,4}+[\"']?([^\\s\"'-][^\\s\"']{2,512}+)",
     NULL},
    {EDGE "login\\s{1,4}+[^\\s:]{1,256}+\\s{1,4}+password\\s{1,4}+([^\\s]{3,512}+)", keep_value},
    /* Keys that their issuers have marked. */
    {EDGE "(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}(?![A-Z0-9])", keep_none},
    {EDGE "sk-(?:(?:live|test|ant|proj|or|svcacct|admin|lf)[-_][\\w-]{6,512}+|"
          "[a-z0-9]{16,512}+)",
     NULL},
    {EDGE "(?:[rsp]k_(?:live|test)_[a-z0-9]{8,512}+|whsec_[\\w+/=]{16,512}+)", NULL},
    {EDGE "xox[a-z]-[\\w-]{8,512}+|" EDGE "xapp-\\d-[\\w-]{8,512}+", NULL},
    {"hooks\\.slack\\.com/(?:services|workflows|triggers)/([\\w/-]{8,512}+)", NULL},
    {"discord(?:app)?\\.com/api/webhooks/\\d{5,24}/([\\w-]{8,512}+)", NULL},
    {"(?:webhook|outlook)\\.office(?:365)?\\.com/webhook\\w{0,4}/([\\w@/-]{8,512}+)", NULL},
    {EDGE "(?:gh[pousr]_[a-z0-9]{16,512}+|github_pat_\\w{16,512}+)", NULL},
    {EDGE "gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct)-[\\w.-]{16,512}+", NULL},
    {EDGE "AIza[\\w-]{30,100}+|" EDGE "ya29\\.[\\w.-]{16,2048}+|" EDGE "GOCSPX-[\\w-]{16,256}+",
     NULL},
    {EDGE "(?:npm_[a-z0-9]{30,100}+|pypi-[\\w-]{50,1024}+|hf_[a-z0-9]{24,100}+|"
          "do[opr]_v1_[a-f0-9]{40,100}+|gl(?:sa|c)_[\\w+/=]{24,512}+|dapi[a-f0-9]{32}|"
          "SG\\.[\\w-]{16,64}+\\.[\\w-]{16,128}+|\\d{8,10}:AA[\\w-]{32,36}+)",
     NULL},
    {EDGE "(?:dckr_[po]at_|shp(?:at|ss|ca|pa)_|rubygems_|figd_|sntry[su]_|lin_api_|ntn_|gsk_|"
          "nvapi-|pplx-|xai-|sbp_|pscale_tkn_|lsv2_[ps][tk]_|PMAK-|NRAK-|ATATT3|ATBB|hv[sb]\\.|"
          "dp\\.(?:pt|st|ct)\\.|sq0[a-z]{3}-|dt0c01\\.|AGE-SECRET-KEY-|key-(?=[0-9a-f]{32}))"
          "[\\w.=-]{16,512}+",
     NULL},
    {EDGE "[a-z0-9]{14}\\.atlasv1\\.[\\w=-]{40,100}+", NULL},
    {EDGE "SK[0-9a-f]{32}(?![0-9a-z])", NULL},
    {EDGE "[0-9a-f]{32}-us\\d{1,2}(?![0-9a-z])", NULL},
    {"(?<![\\w.~-])[\\w.~-]{3}\\dQ~[\\w.~-]{31,34}(?![\\w.~-])", NULL},
    {"(?<![\\w.-])[MNO][\\w-]{23,27}\\.[\\w-]{6}\\.[\\w-]{27,40}+", NULL},
    /* Whatever looks drawn at random. */
    {"(?<![\\w+/=-])[\\w+/=-]{20,}+", keep_ordinary},
};

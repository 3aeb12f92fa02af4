/* What redaction takes out, what it leaves, and how long it takes whatever it is given. */
#include "../check.h"

#include "base/argv.h"
#include "base/clock.h"
#include "base/fdio.h"
#include "triage/redact.h"

static struct redactor *new_redactor(char *const *env)
{
    struct redactor *r = NULL;
    struct err e = {0};
    if (redactor_new(env, &r, &e) < 0)
        CHECK_SAY("%s", e.what);
    return r;
}

static void becomes(struct redactor *r, const char *s, const char *want)
{
    own_text struct text out = {0};
    redact_text(r, s, &out);
    CHECK_STR(text_str(&out), want);
}

/* Calls `one` for each line that is no comment, with \n turned into line breaks. */
static size_t each_line(const char *name, void (*one)(struct redactor *, char *))
{
    own_text struct text path = {0}, all = {0};
    struct err e = {0};
    size_t n = 0;
    own_redactor struct redactor *r = new_redactor(NULL);
    text_addf(&path, FR_TEST_DATA "/triage/%s", name);
    CHECK_EQ(fdio_read_file(text_str(&path), 1 << 20, &all, &e), 0);
    for (char *save, *s = strtok_r(all.at, "\n", &save); s; s = strtok_r(NULL, "\n", &save)) {
        if (*s == '#')
            continue;
        for (char *c; (c = strstr(s, "\\n"));) {
            *c = '\n';
            memmove(c + 1, c + 2, strlen(c + 2) + 1);
        }
        one(r, s);
        n++;
    }
    return n;
}

static void is_redacted(struct redactor *r, char *line)
{
    own_text struct text out = {0}, again = {0};
    char *secret = strchr(line, '\t');
    if (!secret) {
        CHECK_SAY("no secret is named: %s", line);
        return;
    }
    *secret++ = 0;
    redact_text(r, line, &out);
    if (!strstr(line, secret) || strstr(text_str(&out), secret) ||
        !strstr(text_str(&out), REDACTED))
        CHECK_SAY("%s became %s", line, text_str(&out));
    redact_text(r, text_str(&out), &again);
    CHECK_STR(text_str(&again), text_str(&out)); /* a second time changes nothing */
}

static void is_kept(struct redactor *r, char *line)
{
    becomes(r, line, line);
}

TEST(secrets_go)
{
    CHECK(each_line("must_redact.txt", is_redacted) > 135);
}

TEST(ordinary_text_stays)
{
    CHECK(each_line("must_keep.txt", is_kept) > 100);
}

TEST(what_stands_around_a_secret_stays)
{
    own_redactor struct redactor *r = new_redactor(NULL);
    becomes(r, "https://user:p@ss@host/x", "https://user:[REDACTED]@host/x");
    becomes(r, "{\"api_key\": \"abcd\", \"n\": 1}", "{\"api_key\": \"[REDACTED]\", \"n\": 1}");
    becomes(r, "Authorization: Bearer abc.def", "Authorization: Bearer [REDACTED]");
    becomes(r, "a=1&sig=xyz&b=2", "a=1&sig=[REDACTED]&b=2");
    becomes(r, "password=one password=two", "password=[REDACTED] password=[REDACTED]");
    becomes(r, "'a\\nsk-live-abcdef1'", "'a\\n[REDACTED]'"); /* a text shown escaped */
    becomes(r, "'\\neyJhbGciOiJ9.eyJzdWIi.dozjgN'", "'\\n[REDACTED]'");
    becomes(r, "'\\nCookie: a=b1'", "'\\nCookie: [REDACTED]'");
    becomes(r, "", "");
    becomes(NULL, "password=one", "password=one");
}

TEST(values_of_the_environment_go)
{
    own_argv struct argv env = {0};
    static const char *const set[] = {
        "MY_TOKEN=abcd", "OTHER=zebra77x", "CONDA_ENV=py311-test", "SHORT_SECRET=abc",
        "SOME_DIR=/opt/data7",
        "A_WORD=correcthorse", "PORT_LIST=12345678", "GIT_SHA=4b825dc642cb6",
        "PATH=/usr/bin:/x9", "TERM=xterm-256color", "LONGER_TOKEN=abcdefgh", "SMALL=ab12",
        "PYTEST_X=value-123", "IMAGE=registry/img:12", "NOTHING=", "no equals sign",
        "DB_PASSWORD=abcd efgh", "FLAG_SECRET=true"};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        argv_add(&env, set[i]);
    own_redactor struct redactor *r = new_redactor(env.at);
    becomes(r, "x abcd y", "x [REDACTED] y");
    becomes(r, "x abcdefgh y", "x [REDACTED] y"); /* the longer one first */
    becomes(r, "x abcd efgh y", "x [REDACTED] y");
    becomes(r, "abcd,abcd_abcd", "[REDACTED],[REDACTED]_[REDACTED]");
    becomes(r, "xabcd abcdx abcd1", "xabcd abcdx abcd1"); /* a short word is not part of others */
    becomes(r, "zebra77x", "[REDACTED]");
    becomes(r, "azebra77xb", "a[REDACTED]b");
    becomes(r, "/envs/py311-test/lib", "/envs/py311-test/lib");
    for (const char *const *s =
             (const char *const[]){"abc", "/opt/data7", "correcthorse", "12345678",
                                   "4b825dc642cb6", "xterm-256color", "ab12", "value-123",
                                   "registry/img:12", "true", NULL};
         *s; s++)
        becomes(r, *s, *s);
}

/* One variable alone, and what of it is looked for in a text. */
static void of_variable(const char *variable, const char *secret, bool gone)
{
    own_text struct text said = {0}, out = {0};
    char *env[] = {str_or_die(variable), NULL};
    own_redactor struct redactor *r = new_redactor(env);
    text_addf(&said, "he said <%s> to me", secret);
    redact_text(r, text_str(&said), &out);
    if ((strstr(text_str(&out), secret) == NULL) != gone)
        CHECK_SAY("%s: %s", variable, text_str(&out));
    free(env[0]);
}

TEST(secrets_of_the_environment_go_wherever_they_stand)
{
    static const char *const pairs[][2] = {
        {"DATABASE_URL=postgres://app:s3same@db:5432/x", "s3same"},
        {"DATABASE_URL=postgres://app:open%40sesame@db/x", "open@sesame"},
        {"DATABASE_URL=postgres://app:open%40sesame@db/x", "open%40sesame"},
        {"REDIS=redis://:sesame-1@cache:6379", "sesame-1"},
        {"STORE=DefaultEndpointsProtocol=https;AccountKey=abcsesame==;Suffix=x", "abcsesame=="},
        {"PG=host=db user=app password=sesame9", "sesame9"},
        {"SETTINGS={\"api_key\": \"sesame-2\", \"n\": 1}", "sesame-2"},
        {"PGPASSWORD=sesame", "sesame"},
        {"DB_PASS=sesame", "sesame"},
        {"MYSQL_PWD=sesame", "sesame"},
        {"APP_KEY=base64:sesame+1=", "base64:sesame+1="},
        {"APP_PIN=12ab", "12ab"},
        {"GH_PAT=sesame", "sesame"},
        {"SMTP_CREDS=me,you", "me,you"},
        {"RUNNER_TOKEN=sesame", "sesame"},     /* though others of RUNNER_* are harmless */
        {"CI_JOB_TOKEN=sesame", "sesame"},
        {"PYTEST_SECRET=sesame", "sesame"},
        {"GITHUB_TOKEN=sesame", "sesame"},
        {"PYTEST_ADDOPTS=-q --token=sesame", "sesame"},
        {"ODD=P@ssw0rd#1", "P@ssw0rd#1"},
        {"ODD=open!sesame", "open!sesame"},
        {"ODD=xkcdqwrtzplm", "xkcdqwrtzplm"},
        {"ODD=0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef"},
        {"ODD=550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000"},
        {"ODD=a1b2c3d4x", "a1b2c3d4x"},
        {"ODD=prod.a1b2c3d4x", "prod.a1b2c3d4x"},
        {"ODD=x9Kd/2mQvT+7bLwR4zNp", "x9Kd/2mQvT+7bLwR4zNp"},
        {"ODD=https://h/x?sig=sesame", "sesame"},
        {"NPM=//r.example.org/:_authToken=sesame", "sesame"},
        {"SIGNING_SECRET=/x9Kd/2mQvT+7bLwR4zNp", "/x9Kd/2mQvT+7bLwR4zNp"},
        {"SESSION_KEY=zz9+", "zz9+"},
        {"TOKEN=Sesame", "Sesame"},
        {"MY_AUTH=me:sesame1", "me:sesame1"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        of_variable(pairs[i][0], pairs[i][1], true);
}

TEST(what_is_no_secret_of_the_environment_stays)
{
    static const char *const pairs[][2] = {
        {"POSTGRES_PASSWORD=test", "test"}, /* it is in every second line of a traceback */
        {"POSTGRES_PASSWORD=postgres", "postgres"},
        {"SECRET=changeme", "changeme"},
        {"MASKED_TOKEN=****", "****"},
        {"OLD_TOKEN=[REDACTED]", "REDACTED"},
        {"PASSWORD_FIELD=login_pw", "login_pw"},
        {"TOKEN_TYPE=bearer", "bearer"},
        {"TOKEN_URL=https://login.example.org/oauth/token", "https://login.example.org/oauth/token"},
        {"PASSWORD_FILE=/run/secrets/db", "/run/secrets/db"},
        {"TOKENIZERS_PARALLELISM=quite", "quite"},
        {"TOKENIZER=bert-base-uncased", "bert-base-uncased"},
        {"GIT_AUTHOR_NAME=Jane Doe", "Jane Doe"},
        {"SESSION=plasma", "plasma"},
        {"SORT_KEY=created", "created"},
        {"AUTH_PIN=1234", "1234"},
        {"XDG_SESSION_TYPE=wayland", "wayland"},
        {"DATABASE_URL=postgres://localhost/app", "postgres://localhost/app"},
        {"DATABASE_URL=postgres://app:test@db:5432/x", "test"},
        {"DATABASE_URL=postgres://app:s3same@db:5432/x", "app"},
        {"GITHUB_SHA=ffac537e6cbbf934b08745a378932722df287a53",
         "ffac537e6cbbf934b08745a378932722df287a53"},
        {"BUILDKITE_COMMIT=ffac537e6cbbf934b08745a378932722df287a53",
         "ffac537e6cbbf934b08745a378932722df287a53"},
        {"RELEASE=1.2.3-alpha.1+build.5114f85", "1.2.3-alpha.1+build.5114f85"},
        {"SERVER=db-1.internal.example.org", "db-1.internal.example.org"},
        {"WHERE=ip-10-0-3-7.eu-west-1.compute.internal", "ip-10-0-3-7.eu-west-1.compute.internal"},
        {"IMAGE_OS=ubuntu2204", "ubuntu2204"},
        {"BRANCH_NAME=feature/abc1234x-login", "feature/abc1234x-login"},
        {"INSTANCE_ID=i-0abcd1234ef567890", "i-0abcd1234ef567890"},
        {"WORDS=internationalisation", "internationalisation"},
        {"CLASS=AbstractSingletonProxyFactoryBean", "AbstractSingletonProxyFactoryBean"},
        {"SENTENCE=hunter22 was here", "hunter22 was here"},
        {"WHEN=2026-07-23", "2026-07-23"},
        {"NO_PROXY=localhost,127.0.0.1,.example.org", "localhost,127.0.0.1,.example.org"},
        {"RUNNER_NAME=fv-az1234-567", "fv-az1234-567"},
        {"CI_PROJECT_NAME=service7backend", "service7backend"},
        {"LS_COLORS=rs=0:di=01;34:ln=01;36", "rs=0:di=01;34:ln=01;36"},
        {"REPLACED=owner/repository-name", "owner/repository-name"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        of_variable(pairs[i][0], pairs[i][1], false);
}

/* A value that is a word of the patterns would hide what they look for. */
TEST(a_common_value_does_not_uncover_another)
{
    char one[] = "FIELD_SECRET=password", two[] = "KIND_TOKEN=bearer";
    char *env[] = {one, two, NULL};
    own_redactor struct redactor *r = new_redactor(env);
    becomes(r, "password=hunter2", "password=[REDACTED]");
    becomes(r, "bearer abc123-x", "bearer [REDACTED]");
}

TEST(only_parameters_of_a_node_id_are_looked_through)
{
    own_redactor struct redactor *r = new_redactor(NULL);
    own_text struct text a = {0}, b = {0}, c = {0}, d = {0};
    redact_nodeid(r, "t.py::test_login[sk-live-SECRETTOKEN]", &a);
    CHECK_STR(text_str(&a), "t.py::test_login[[REDACTED]]");
    redact_nodeid(r, "sk-live-SECRETTOKEN/t.py::test", &b);
    CHECK_STR(text_str(&b), "sk-live-SECRETTOKEN/t.py::test");
    redact_nodeid(r, "t.py::test[1-a]", &c);
    CHECK_STR(text_str(&c), "t.py::test[1-a]");
    redact_nodeid(NULL, "t.py::test[sk-live-SECRETTOKEN]", &d);
    CHECK_STR(text_str(&d), "t.py::test[sk-live-SECRETTOKEN]");
}

static void repeat(const char *s, size_t bytes, struct text *out)
{
    while (out->len < bytes)
        text_add(out, s);
}

static double seconds(struct redactor *r, const char *s)
{
    own_text struct text out = {0};
    int64_t began = clock_mono_ns();
    redact_text(r, s, &out);
    return (double)(clock_mono_ns() - began) / (double)NS_PER_S;
}

/* Text made to be slow for each pattern: a megabyte of it takes no more than a few times what
 * a quarter takes, and never long. */
TEST(a_megabyte_takes_time_in_proportion)
{
    static const char *const evil[] = {
        "a", "a-", "password", "password ", "password=\"", "password=\"\\\\", "://a:", "://a:b@c",
        "://", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n-", "eyJ", "eyJaaaaa.",
        "Authorization: ", "bearer ", "bearer aaaaaa.", "cookie: a", "cookie: a=", "&sig=", "?a=",
        "aB3", "aB3/", "sk-", "AKIA", "ghp_aaaaaaaaaaaaaaa ", "token: '", "auth=('a','", " ", "\n",
        "=", "\\", "'", "--token ", "xoxb-", "123456789:AA", "SG.aaaaaaaaaaaaaaaa.", "[", "\xff",
        "authorization: digest ", "passphrase: a", "passphrase=", "-u a:", "-u ", "--user=a:b ",
        "mysql ", "mysql -p", "redis-cli ", "redis-cli a -a ", "login a password ", "login ",
        "signature=", "<Cookie a=", "SK0123456789abcdef", "key-0123456789abcdef",
        "0123456789abcdef0123456789abcdef", "aaa1Q~", "Maaaaaaaaaaaaaaaaaaaaaaa.aaaaaa.",
        "aaaaaaaaaaaaaa.atlasv1.", "a1", "client-key-", "_auth", "discord.com/api/webhooks/1"};
    own_redactor struct redactor *r = new_redactor(NULL);
    for (size_t i = 0; i < sizeof evil / sizeof *evil; i++) {
        own_text struct text quarter = {0}, all = {0};
        repeat(evil[i], 1 << 18, &quarter);
        repeat(evil[i], 1 << 20, &all);
        double one = seconds(r, text_str(&quarter)), four = seconds(r, text_str(&all));
        if (four > 3 || (four > .2 && four > 10 * one))
            CHECK_SAY("\"%s\": %.3f s for a quarter, %.3f s for all", evil[i], one, four);
    }
}

/* Closed, not open: what could not be looked through is not told. */
TEST(where_matching_gives_up_the_rest_is_taken_out)
{
    own_redactor struct redactor *r = new_redactor(NULL);
    own_text struct text out = {0};
    redactor_limit(r, 1);
    redact_text(r, "a perfectly ordinary sentence, token of which is password: x", &out);
    CHECK(strstr(text_str(&out), REDACTED));
    CHECK(!strstr(text_str(&out), "password: x"));
}

/* Addresses as text and as bytes, and the list of what a blocked network still reaches. */
#include "shim/address.h"
#include "shim/allow.h"
#include "tests/check.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

static const char *shown(const struct fd_address *a)
{
    static char text[256];
    struct fd_line l = {text, sizeof text, 0};
    text[0] = 0;
    fd_address_text(a, &l);
    return text;
}

static struct fd_address ip_of(const char *text, uint16_t port)
{
    struct sockaddr_in s4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct sockaddr_in6 s6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    struct fd_address a = {.family = -1};
    if (inet_pton(AF_INET, text, &s4.sin_addr) == 1)
        CHECK(fd_address_read(&a, (struct sockaddr *)&s4, sizeof s4));
    else if (inet_pton(AF_INET6, text, &s6.sin6_addr) == 1)
        CHECK(fd_address_read(&a, (struct sockaddr *)&s6, sizeof s6));
    return a;
}

TEST(text_and_bytes_agree_with_libc)
{
    static const char *const good[] = {
        "0.0.0.0", "127.0.0.1", "255.255.255.255", "10.1.2.3", "::", "::1", "1::", "1::2",
        "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "fe80::1:2", "2001:db8::8:800:200c:417a",
        "1:0:0:2:0:0:0:3", "1:0:2:0:3:0:4:0", "::ffff:1.2.3.4", "64:ff9b::192.0.2.33", "ABCD:ef01::"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        unsigned char ip[16], want[16] = {[10] = 0xff, [11] = 0xff};
        char text[64], libc[64];
        struct fd_line l = {text, sizeof text, 0};
        int family = fd_ip_parse(good[i], strlen(good[i]), ip);
        CHECK_EQ(family, strchr(good[i], ':') ? 6 : 4);
        CHECK_EQ(inet_pton(family == 6 ? AF_INET6 : AF_INET, good[i], family == 6 ? want : want + 12), 1);
        CHECK(!memcmp(ip, want, sizeof ip));
        fd_ip_text(ip, &l);
        inet_ntop(AF_INET6, ip, libc, sizeof libc);
        CHECK_STR(text, fd_ip_is4(ip) ? libc + strlen("::ffff:") : libc);
    }
}

TEST(what_is_no_address)
{
    static const char *const bad[] = {"", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.-4", "1..2.3",
                                      "01.2.3.0004", ".1.2.3.4", "1.2.3.4.", ":", ":::", "1:", ":1",
                                      "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "g::",
                                      "1:2:3:4:5:6:7::8", "::1.2.3", "1.2.3.4::", "1:2:3:4:5:6:7:1.2.3.4",
                                      "::1%lo", "example.com"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        unsigned char ip[16];
        if (fd_ip_parse(bad[i], strlen(bad[i]), ip))
            CHECK_SAY("\"%s\" is taken for an address", bad[i]);
    }
}

TEST(where_an_address_leads)
{
    static const char *const here[] = {"127.0.0.1", "127.255.0.9", "0.0.0.0", "::", "::1",
                                       "::ffff:127.0.0.1", "::ffff:0.0.0.0"};
    static const char *const away[] = {"0.0.0.1", "126.0.0.1", "128.0.0.1", "10.0.0.1", "::2", "fe80::1",
                                       "::7f00:1", "::ffff:10.0.0.1", "255.255.255.255", "224.0.0.1"};
    CHECK_EQ(ip_of("127.0.0.53", 53).where, FD_AWAY); /* a server of names that asks others */
    CHECK_EQ(ip_of("127.0.0.53", 80).where, FD_HERE);
    CHECK_EQ(ip_of("127.0.0.1", 53).where, FD_HERE);
    for (size_t i = 0; i < sizeof here / sizeof *here; i++)
        CHECK_EQ(ip_of(here[i], 80).where, FD_HERE);
    for (size_t i = 0; i < sizeof away / sizeof *away; i++)
        CHECK_EQ(ip_of(away[i], 80).where, FD_AWAY);
    struct fd_address a = ip_of("10.1.2.3", 443);
    CHECK_STR(shown(&a), "10.1.2.3:443");
    a = ip_of("fd00::1", 80);
    CHECK_STR(shown(&a), "[fd00::1]:80");
}

TEST(other_families)
{
    struct sockaddr_un un = {.sun_family = AF_UNIX, .sun_path = "/run/x.sock"};
    struct sockaddr none = {.sa_family = AF_NETLINK};
    struct fd_address a;
    CHECK(fd_address_read(&a, (struct sockaddr *)&un, sizeof un));
    CHECK_EQ(a.where, FD_SOCKET);
    CHECK_STR(shown(&a), "/run/x.sock");
    memcpy(un.sun_path, "\0name\0more", 10);
    CHECK(fd_address_read(&a, (struct sockaddr *)&un, offsetof(struct sockaddr_un, sun_path) + 10));
    CHECK_EQ(a.where, FD_ABSTRACT);
    CHECK_STR(shown(&a), "@name@more");
    CHECK(fd_address_read(&a, (struct sockaddr *)&un, sizeof un.sun_family));
    CHECK_EQ(a.where, FD_ELSEWHERE);
    CHECK(fd_address_read(&a, &none, sizeof none));
    CHECK_EQ(a.where, FD_ELSEWHERE);
    none.sa_family = AF_INET;
    CHECK(!fd_address_read(&a, &none, 8));
    CHECK(!fd_address_read(&a, &none, 1));
    CHECK(!fd_address_read(&a, &none, 4096));
    CHECK(!fd_address_read(&a, NULL, 16));
    CHECK(!fd_address_read(&a, (struct sockaddr *)16, 16));
}

static bool allows(const char *ip, uint16_t port)
{
    struct fd_address a = ip_of(ip, port);
    return fd_allow_ip(a.ip, a.port);
}

TEST(addresses_that_are_allowed)
{
    CHECK(!fd_allow_read("10.1.2.3:5432,10.8.0.0/13,[fd00::1]:80,fd01::/16,192.168.0.7,[fd02::/20]:9"));
    CHECK(allows("10.1.2.3", 5432) && !allows("10.1.2.3", 5433) && !allows("10.1.2.4", 5432));
    CHECK(allows("::ffff:10.1.2.3", 5432));
    CHECK(allows("10.8.0.0", 1) && allows("10.15.255.255", 1) && !allows("10.16.0.0", 1) && !allows("10.7.9.9", 1));
    CHECK(allows("fd00::1", 80) && !allows("fd00::1", 81) && !allows("fd00::2", 80));
    CHECK(allows("fd01:ffff::", 3) && !allows("fd02::", 3));
    CHECK(allows("fd02:fff::1", 9) && !allows("fd02:1000::1", 9) && !allows("fd02::1", 8));
    CHECK(allows("192.168.0.7", 65535));
    CHECK(!fd_allow_has_names());
    CHECK(!fd_allow_read("0.0.0.0/0"));
    CHECK(allows("8.8.8.8", 53) && !allows("2001:db8::1", 53));
}

TEST(names_that_are_allowed)
{
    CHECK(!fd_allow_read("db.Example.com:5432,*.example.org,host-1,a_b"));
    CHECK(fd_allow_has_names());
    CHECK(fd_allow_name("db.example.com") && fd_allow_name("DB.EXAMPLE.COM."));
    CHECK(!fd_allow_name("example.com") && !fd_allow_name("xdb.example.com"));
    CHECK(fd_allow_name("www.example.org") && fd_allow_name("a.b.example.org"));
    CHECK(!fd_allow_name("example.org") && !fd_allow_name(".example.org") && !fd_allow_name("wwwexample.org"));
    CHECK(fd_allow_name("host-1") && !fd_allow_name("host-2") && !fd_allow_name(""));
    CHECK(!allows("10.0.0.9", 5432));
    struct fd_address a = ip_of("10.0.0.9", 0);
    fd_allow_learn("nobody.example.com", a.ip);
    CHECK(!allows("10.0.0.9", 5432));
    fd_allow_learn("db.example.com", a.ip);
    fd_allow_learn("db.example.com", a.ip);
    CHECK(allows("10.0.0.9", 5432) && !allows("10.0.0.9", 80));
    fd_allow_learn("www.example.org", a.ip);
    CHECK(allows("10.0.0.9", 80) && !allows("10.0.0.8", 80));
    for (int i = 0; i < 1000; i++) { /* bounded */
        a.ip[14] = (unsigned char)(i >> 8);
        a.ip[15] = (unsigned char)i;
        fd_allow_learn("www.example.org", a.ip);
    }
    CHECK(allows("10.0.0.9", 80) && !allows("10.0.3.9", 80));
}

TEST(what_is_no_entry)
{
    static const char *const bad[] = {"", "a,", ",a", "a,,b", "10.0.0", "1.2.3.4.5", "300.1.1.1", "10.0.0.0/33",
                                      "10.0.0.0/", "10.0.0.0/x", "a/8", "fd00::/129", "[fd00::1", "[fd00::1]80",
                                      "[fd00::1]:", "[fd00::1]:0", "[a]:80", "a:0", "a:65536", "a:", ":80", "a b",
                                      " a", "*", "*.", "*example.com", "a.*", "a..b", ".a", "fd00::1::2", "http://a"};
    char longer[4000];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (!fd_allow_read(bad[i]))
            CHECK_SAY("\"%s\" is taken for an entry", bad[i]);
    CHECK_STR(fd_allow_read("good,10.0.0,better"), "10.0.0");
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    CHECK(fd_allow_read(longer) != NULL);
    char many[200] = "";
    for (int i = 0; i < 65; i++)
        strcat(many, i ? ",a" : "a");
    CHECK(fd_allow_read(many) != NULL);
}

/*
 * Values: from the facts document, against each other, as text.
 */
#include "rule/value.h"

#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include "base/cpuset.h"
#include "facts/text.h"

#define SHOWN_ELEMENTS 12
#define SHOWN_BYTES 200

static struct ta_int int_of(struct json_object *o)
{
	int64_t v = json_object_get_int64(o);

	/* Both getters clamp: what is negative is an int64, everything else fits uint64. */
	if (v < 0)
		return (struct ta_int){0 - (uint64_t)v, true};
	return (struct ta_int){json_object_get_uint64(o), false};
}

/* Turns a number with a meaning into what it means. */
static void apply_special(struct ta_value *v)
{
	const struct ta_field *f = v->field;

	for (size_t i = 0; f && i < TA_ARRAY_SIZE(f->special); i++) {
		int64_t n = f->special[i].value;
		struct ta_int special = {n < 0 ? 0 - (uint64_t)n : (uint64_t)n, n < 0};

		if (f->special[i].meaning == TA_MEANS_NUMBER || ta_int_cmp(v->i, special) != 0)
			continue;
		v->kind = f->special[i].meaning == TA_MEANS_AUTO ? TA_VAL_AUTO : TA_VAL_UNLIMITED;
		v->special = true;
		return;
	}
}

static bool read_int(struct json_object *o, struct ta_value *ret)
{
	if (ret->field->flags & TA_F_UNLIMITED && json_object_is_type(o, json_type_string) &&
		strcmp(json_object_get_string(o), "unlimited") == 0) {
		ret->kind = TA_VAL_UNLIMITED;
		return true;
	}
	if (!json_object_is_type(o, json_type_int))
		return false;
	ret->kind = TA_VAL_INT;
	ret->i = int_of(o);
	apply_special(ret);
	return true;
}

static bool read_real(struct json_object *o, struct ta_value *ret)
{
	if (!json_object_is_type(o, json_type_double) && !json_object_is_type(o, json_type_int))
		return false;
	ret->kind = TA_VAL_REAL;
	ret->r = json_object_get_double(o);
	return isfinite(ret->r);
}

bool ta_value_read(struct json_object *o, const struct ta_field *field, struct ta_value *ret)
{
	*ret = (struct ta_value){.field = field};
	switch (field->type) {
	case TA_T_INT:
		return read_int(o, ret);
	case TA_T_REAL:
		return read_real(o, ret);
	case TA_T_BOOL:
		ret->kind = TA_VAL_BOOL;
		ret->b = json_object_get_boolean(o);
		return json_object_is_type(o, json_type_boolean);
	case TA_T_STRING:
		if (!json_object_is_type(o, json_type_string))
			return false;
		ret->kind = TA_VAL_STRING;
		ret->s = json_object_get_string(o);
		return true;
	case TA_T_INTS:
	case TA_T_STRINGS:
		ret->kind = TA_VAL_ARRAY;
		ret->o = o;
		return json_object_is_type(o, json_type_array);
	default:
		return false;
	}
}

size_t ta_value_length(const struct ta_value *v)
{
	return v->kind == TA_VAL_LIST ? v->list.n : json_object_array_length(v->o);
}

bool ta_value_element(const struct ta_value *v, size_t i, struct ta_value *ret)
{
	struct json_object *o;

	if (v->kind == TA_VAL_LIST) {
		*ret = v->list.v[i];
		return true;
	}
	o = json_object_array_get_idx(v->o, i);
	*ret = (struct ta_value){.field = v->field};
	if (v->field->type == TA_T_INTS)
		return read_int(o, ret);
	ret->kind = TA_VAL_STRING;
	ret->s = json_object_get_string(o);
	return json_object_is_type(o, json_type_string);
}

/* --- comparing ---------------------------------------------------------------------- */

static enum ta_order order_of(int c)
{
	return c < 0 ? TA_LESS : c > 0 ? TA_GREATER : TA_EQUAL;
}

static bool is_number(const struct ta_value *v)
{
	return v->kind == TA_VAL_INT || v->kind == TA_VAL_REAL;
}

static bool is_list(const struct ta_value *v)
{
	return v->kind == TA_VAL_LIST || v->kind == TA_VAL_ARRAY;
}

static enum ta_order compare_numbers(const struct ta_value *a, const struct ta_value *b)
{
	if (a->kind == TA_VAL_INT && b->kind == TA_VAL_INT)
		return order_of(ta_int_cmp(a->i, b->i));
	if (a->kind == TA_VAL_INT)
		return order_of(ta_int_cmp_real(a->i, b->r));
	if (b->kind == TA_VAL_INT)
		return order_of(-ta_int_cmp_real(b->i, a->r));
	return a->r < b->r ? TA_LESS : a->r > b->r ? TA_GREATER : TA_EQUAL;
}

/* One of them is AUTO. The word `auto` asks for the meaning; a host's automatic value hides its number. */
static enum ta_order compare_auto(const struct ta_value *a, const struct ta_value *b, const struct ta_unknown **ret_why)
{
	static const struct ta_unknown automatic = {"automatic", "the kernel chooses this value"};

	if (a->kind == TA_VAL_AUTO && b->kind == TA_VAL_AUTO)
		return TA_EQUAL;
	if ((a->kind == TA_VAL_AUTO && a->literal) || (b->kind == TA_VAL_AUTO && b->literal))
		return TA_DIFFERENT;
	if (ret_why)
		*ret_why = &automatic;
	return TA_NO_ORDER;
}

static const struct ta_unknown malformed = {"malformed", "an element of the list has another type"};

static enum ta_order compare_lists(const struct ta_value *a, const struct ta_value *b, const struct ta_unknown **ret_why)
{
	size_t na = ta_value_length(a), nb = ta_value_length(b);

	for (size_t i = 0; i < na && i < nb; i++) {
		struct ta_value x, y;
		enum ta_order o;

		if (!ta_value_element(a, i, &x) || !ta_value_element(b, i, &y)) {
			if (ret_why)
				*ret_why = &malformed;
			return TA_NO_ORDER;
		}
		o = ta_value_compare(&x, &y, ret_why);
		if (o != TA_EQUAL)
			return o;
	}
	return na < nb ? TA_LESS : na > nb ? TA_GREATER : TA_EQUAL;
}

enum ta_order ta_value_compare(const struct ta_value *a, const struct ta_value *b, const struct ta_unknown **ret_why)
{
	if (a->kind == TA_VAL_UNKNOWN || b->kind == TA_VAL_UNKNOWN) {
		if (ret_why)
			*ret_why = a->kind == TA_VAL_UNKNOWN ? a->unknown : b->unknown;
		return TA_NO_ORDER;
	}
	if (a->kind == TA_VAL_AUTO || b->kind == TA_VAL_AUTO)
		return compare_auto(a, b, ret_why);
	if (a->kind == TA_VAL_UNLIMITED || b->kind == TA_VAL_UNLIMITED)
		return order_of((a->kind == TA_VAL_UNLIMITED) - (b->kind == TA_VAL_UNLIMITED));
	if (is_number(a) && is_number(b))
		return compare_numbers(a, b);
	if (is_list(a) && is_list(b))
		return compare_lists(a, b, ret_why);
	if (a->kind != b->kind)
		return TA_DIFFERENT;
	if (a->kind == TA_VAL_BOOL)
		return a->b == b->b ? TA_EQUAL : TA_DIFFERENT;
	return strcmp(a->s, b->s) == 0 ? TA_EQUAL : TA_DIFFERENT;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static uint64_t hash_real(double r)
{
	struct ta_int i;
	uint64_t bits;

	if (ta_int_from_real(r, &i))
		return mix(i.negative, i.mag);
	memcpy(&bits, &r, sizeof(bits));
	return mix(2, bits);
}

uint64_t ta_value_hash(const struct ta_value *v)
{
	uint64_t h = v->kind;
	struct ta_value x;

	switch (v->kind) {
	case TA_VAL_BOOL:
		return mix(h, v->b);
	case TA_VAL_INT:
		return mix(v->i.negative, v->i.mag);
	case TA_VAL_REAL:
		return hash_real(v->r);
	case TA_VAL_STRING:
		for (const char *s = v->s; *s; s++)
			h = mix(h, (unsigned char)*s);
		return h;
	case TA_VAL_LIST:
	case TA_VAL_ARRAY:
		h = 7;
		for (size_t i = 0; i < ta_value_length(v); i++)
			h = mix(h, ta_value_element(v, i, &x) ? ta_value_hash(&x) : 0);
		return h;
	default:
		return h;
	}
}

unsigned long ta_value_weight(const struct ta_value *v)
{
	if (v->kind == TA_VAL_STRING)
		return strlen(v->s) / 256;
	return is_list(v) ? ta_value_length(v) : 0;
}

/* --- as text ------------------------------------------------------------------------- */

static void format_int(struct ta_int i, struct ta_buf *b)
{
	ta_buf_printf(b, "%s%llu", i.negative ? "-" : "", (unsigned long long)i.mag);
}

static void format_real(double r, struct ta_buf *b)
{
	if (fabs(r) >= 1e15)
		ta_buf_printf(b, "%.6g", r);
	else if (r == trunc(r) || fabs(r) >= 1e6)
		ta_buf_printf(b, "%.0f", r);
	else if (fabs(r) >= 1000)
		ta_buf_printf(b, "%.1f", r);
	else
		ta_buf_printf(b, "%.6g", r);
}

static void format_string(const char *raw, struct ta_buf *b)
{
	struct ta_safe_text room;
	const char *s = ta_safe_key(&room, raw);
	size_t n = strlen(s);

	if (n > SHOWN_BYTES)
		for (n = SHOWN_BYTES; (s[n] & 0xc0) == 0x80;)
			n--;
	ta_buf_addc(b, '"');
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '"' || s[i] == '\\')
			ta_buf_addc(b, '\\');
		ta_buf_addc(b, s[i]);
	}
	ta_buf_adds(b, s[n] ? "\"…" : "\"");
}

static void format_cpus(const struct ta_value *v, struct ta_buf *b)
{
	ta_cleanup_cpuset struct ta_cpuset set = TA_CPUSET_INIT;
	size_t before = b->len;

	for (size_t i = 0; i < ta_value_length(v); i++) {
		struct ta_value x;

		if (ta_value_element(v, i, &x) && x.kind == TA_VAL_INT && !x.i.negative && x.i.mag < TA_CPU_LIMIT)
			ta_cpuset_add(&set, (unsigned)x.i.mag);
	}
	ta_cpuset_format(&set, b);
	if (b->len == before)
		ta_buf_adds(b, "none");
}

static void format_list(const struct ta_value *v, struct ta_buf *b)
{
	size_t n = ta_value_length(v), shown = n <= SHOWN_ELEMENTS + 1 ? n : SHOWN_ELEMENTS;

	ta_buf_addc(b, '[');
	for (size_t i = 0; i < shown; i++) {
		struct ta_value x;

		if (i)
			ta_buf_adds(b, ", ");
		if (ta_value_element(v, i, &x))
			ta_value_format(&x, b);
		else
			ta_buf_adds(b, "(malformed)");
	}
	if (shown < n)
		ta_buf_printf(b, ", and %zu more", n - shown);
	ta_buf_addc(b, ']');
}

void ta_value_format(const struct ta_value *v, struct ta_buf *b)
{
	switch (v->kind) {
	case TA_VAL_UNKNOWN:
		ta_buf_adds(b, "unknown");
		break;
	case TA_VAL_BROKEN:
		ta_buf_adds(b, "broken");
		break;
	case TA_VAL_BOOL:
		ta_buf_adds(b, v->b ? "true" : "false");
		break;
	case TA_VAL_INT:
		format_int(v->i, b);
		break;
	case TA_VAL_REAL:
		format_real(v->r, b);
		break;
	case TA_VAL_STRING:
		format_string(v->s, b);
		break;
	case TA_VAL_UNLIMITED:
	case TA_VAL_AUTO:
		if (v->special)
			format_int(v->i, b);
		ta_buf_printf(b, v->special ? " (%s)" : "%s", v->kind == TA_VAL_AUTO ? "auto" : "unlimited");
		break;
	case TA_VAL_LIST:
	case TA_VAL_ARRAY:
		if (v->field && v->field->flags & TA_F_CPUS && !v->many)
			format_cpus(v, b);
		else
			format_list(v, b);
		break;
	case TA_VAL_NODE:
		ta_buf_printf(b, "(%zu members)", v->o ? (size_t)json_object_object_length(v->o) : 0);
		break;
	}
}

static struct json_object *json_list(const struct ta_value *v)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; array && i < ta_value_length(v); i++) {
		struct ta_value x;
		struct json_object *o = ta_value_element(v, i, &x) ? ta_value_json(&x) : NULL;

		if (!o || json_object_array_add(array, o) < 0) {
			json_object_put(o);
			json_object_put(array);
			return NULL;
		}
	}
	return array;
}

static struct json_object *json_int(struct ta_int i)
{
	if (i.negative)
		return json_object_new_int64((int64_t)(0 - i.mag));
	return i.mag > INT64_MAX ? json_object_new_uint64(i.mag) : json_object_new_int64((int64_t)i.mag);
}

struct json_object *ta_value_json(const struct ta_value *v)
{
	switch (v->kind) {
	case TA_VAL_BOOL:
		return json_object_new_boolean(v->b);
	case TA_VAL_INT:
		return json_int(v->i);
	case TA_VAL_REAL:
		return json_object_new_double(v->r);
	case TA_VAL_STRING:
		return json_object_new_string(v->s);
	case TA_VAL_UNLIMITED:
	case TA_VAL_AUTO:
		if (v->special)
			return json_int(v->i);
		return v->kind == TA_VAL_UNLIMITED ? json_object_new_string("unlimited") : NULL;
	case TA_VAL_LIST:
	case TA_VAL_ARRAY:
		return json_list(v);
	default:
		return NULL;
	}
}

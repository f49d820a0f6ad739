#include "load/figures.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static char *format(const char *text, va_list ap) ta_printf(1, 0);

static char *format(const char *text, va_list ap)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	ta_buf_vprintf(&b, text, ap);
	return ta_buf_steal(&b);
}

static void figure_done(struct ta_figure *f)
{
	free(f->key);
	free(f->label);
	free(f->text);
}

static void add(struct ta_figures *f, const char *key, const char *label, struct ta_figure one)
{
	struct ta_figure *v = reallocarray(f->v, f->n + 1, sizeof(*v));

	if (v)
		f->v = v;
	one.key = strdup(key);
	one.label = label ? strdup(label) : NULL;
	if (!v || !one.key || !one.text || (label && !one.label)) {
		figure_done(&one);
		f->error = -ENOMEM;
		return;
	}
	f->v[f->n++] = one;
}

void ta_figures_number(struct ta_figures *f, const char *key, const char *label, double value, const char *text, ...)
{
	struct ta_figure one = {.value = value, .is_number = true};
	va_list ap;

	va_start(ap, text);
	one.text = format(text, ap);
	va_end(ap);
	add(f, key, label, one);
}

void ta_figures_text(struct ta_figures *f, const char *key, const char *label, const char *text, ...)
{
	struct ta_figure one = {0};
	va_list ap;

	va_start(ap, text);
	one.text = format(text, ap);
	va_end(ap);
	add(f, key, label, one);
}

struct ta_load_table *ta_figures_table(struct ta_figures *f, const char *key, const char *title, const char *heads)
{
	struct ta_load_table *v = reallocarray(f->tables, f->n_tables + 1, sizeof(*v)), *t;

	if (!v) {
		f->error = -ENOMEM;
		return NULL;
	}
	f->tables = v;
	t = &v[f->n_tables++];
	*t = (struct ta_load_table){.key = strdup(key), .title = strdup(title)};
	ta_strv_split(&t->heads, heads, "|");
	if (!t->key || !t->title || t->heads.error)
		f->error = -ENOMEM;
	return t;
}

static void add_cell(struct ta_load_table *t, struct ta_load_cell cell)
{
	struct ta_load_cell *v = t && cell.text ? reallocarray(t->cells, t->n_cells + 1, sizeof(*v)) : NULL;

	if (v) {
		t->cells = v;
		v[t->n_cells++] = cell;
		return;
	}
	free(cell.text);
	if (t)
		t->error = -ENOMEM;
}

void ta_load_table_text(struct ta_load_table *t, const char *text)
{
	add_cell(t, (struct ta_load_cell){.text = strdup(text)});
}

void ta_load_table_number(struct ta_load_table *t, double value, unsigned decimals)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	ta_buf_printf(&b, "%.*f", (int)decimals, value);
	add_cell(t, (struct ta_load_cell){.text = ta_buf_steal(&b), .value = value, .is_number = true});
}

static void table_done(struct ta_load_table *t)
{
	for (size_t i = 0; i < t->n_cells; i++)
		free(t->cells[i].text);
	free(t->cells);
	free(t->key);
	free(t->title);
	ta_strv_done(&t->heads);
}

int ta_figures_error(const struct ta_figures *f)
{
	for (size_t i = 0; i < f->n_tables; i++)
		if (f->tables[i].error)
			return f->tables[i].error;
	return f->error;
}

void ta_figures_done(struct ta_figures *f)
{
	for (size_t i = 0; i < f->n; i++)
		figure_done(&f->v[i]);
	for (size_t i = 0; i < f->n_tables; i++)
		table_done(&f->tables[i]);
	free(f->v);
	free(f->tables);
	*f = (struct ta_figures){0};
}

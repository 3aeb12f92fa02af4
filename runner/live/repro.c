/* The command that fails every time, in its shortest form, checked by running it as printed. */
#include "live/engine.h"

#include "axes/axis.h"

int engine_repro(struct engine *g, struct finding *f, struct err *e)
{
    (void)e;
    own_text struct text line = {0}, argument = {0};
    bool shim = false;
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++)
        if (setting_holds(&f->repro.setting, a))
            shim |= axes[a]->needs_shim;
    if (shim)
        text_addf(&line, "LD_PRELOAD=%s ", g->site.lib);
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++)
        if (setting_holds(&f->repro.setting, a))
            axes[a]->command(f->repro.setting.value[a], &line);
    for (size_t i = 0; i < g->target->say.n; i++) {
        text_add_quoted(&line, g->target->say.at[i]);
        text_addc(&line, ' ');
    }
    for (size_t i = 0; i < g->target->args.n; i++) {
        text_add_quoted(&line, g->target->args.at[i]);
        text_addc(&line, ' ');
    }
    target_argument(g->target, &argument);
    text_add_quoted(&line, text_str(&argument));
    f->repro.command = text_take(&line);
    return 0;
}

import type { Ambit, StateView } from '../../index.ts';
import type { Call } from '../command.ts';
import { exitOf } from '../exit-codes.ts';
import type { Paint } from '../terminal/terminal.ts';
import { instant } from '../views/instants.ts';
import { runLines } from '../views/run-lines.ts';
import { NOTHING_YET, type RunView, watched } from '../views/run-view.ts';
import { eventsOf } from './events-of.ts';

/** How a session stood right after one of its events, as if everything since had not happened. */
export async function showStateAt({ terminal }: Call, runtime: Ambit, runId: string, event: number): Promise<number> {
  const state = await runtime.stateAt(runId, event);
  const view = (await eventsOf(runtime, runId)).slice(0, event).reduce(watched, NOTHING_YET);
  terminal.show(state, () => stateView(state, view, terminal.paint));
  return exitOf('done');
}

function stateView(
  { run_id, event, frame, happened, at, node, session }: StateView,
  view: RunView,
  paint: Paint,
): string {
  return [
    `${paint('strong', run_id)} after event ${event}, ${happened}, in frame ${frame}`,
    `  ${paint('quiet', instant(at))}  ${String(session['status'])}, on ${node}`,
    ...runLines(view, paint),
  ].join('\n');
}

import type { Action } from '../command.ts';
import { exitOf } from '../exit-codes.ts';
import { printed } from '../terminal/printed.ts';
import { pairs } from '../terminal/table.ts';
import { withRuntime, word } from './with-runtime.ts';

export const diagnoseSession: Action = (call) =>
  withRuntime(call, async ({ runtime }) => {
    const { terminal } = call;
    const found = await runtime.diagnose(word(call, 'session'));
    terminal.show(found, () =>
      found.length === 0
        ? 'Nothing is wrong with it.'
        : found
            .map(({ family, shownBy, ...about }) =>
              [
                terminal.paint('waits', family),
                ...pairs(
                  Object.entries({ 'shown by': shownBy, ...about }).map(([name, said]) => [
                    name,
                    printed(String(said)),
                  ]),
                ),
              ].join('\n  '),
            )
            .join('\n\n'),
    );
    return exitOf('done');
  });

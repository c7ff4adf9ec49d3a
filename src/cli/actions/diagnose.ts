import { type Action, argument } from '../command.ts';
import { getExitCode } from '../exit-codes.ts';
import { withRuntime } from '../shared/with-runtime.ts';
import { escapeText } from '../terminal/escape-text.ts';
import { renderPairs } from '../terminal/render-table.ts';

export const diagnoseSessionAction: Action = (call) =>
  withRuntime(call, async ({ runtime }) => {
    const { terminal } = call;
    const found = await runtime.records.diagnose(argument(call, 'session'));
    terminal.show(found, () =>
      found.length === 0
        ? 'No known failure pattern found.'
        : found
            .map(({ family, shownBy, ...rest }) =>
              [
                terminal.paint('warning', family),
                ...renderPairs(
                  Object.entries({ 'shown by': shownBy, ...rest }).map(([name, value]) => [
                    name,
                    escapeText(String(value)),
                  ]),
                ),
              ].join('\n  '),
            )
            .join('\n\n'),
    );
    return getExitCode('done');
  });

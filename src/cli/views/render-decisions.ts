import type { WhatIf } from '../../records.ts';
import { escapeJson } from '../terminal/escape-text.ts';
import type { Paint } from '../terminal/terminal.ts';

/** Renders decisions that differ: the recorded one after `-`, the derived one after `+`. */
export const renderDecisions = (decisions: WhatIf['decisions'], paint: Paint): readonly string[] =>
  decisions.flatMap(({ about, recorded, derived }) => [
    paint('strong', about),
    `  ${paint('bad', '-')} ${recorded === null ? 'not decided' : escapeJson(recorded)}`,
    `  ${paint('good', '+')} ${derived === null ? 'not decided' : escapeJson(derived)}`,
  ]);

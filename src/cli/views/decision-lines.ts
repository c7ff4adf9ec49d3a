import type { WhatIf } from '../../index.ts';
import { printedJson } from '../terminal/printed.ts';
import type { Paint } from '../terminal/terminal.ts';

/** What was decided in one run and otherwise in another, each with what it is about. */
export const decisionLines = (decisions: WhatIf['decisions'], paint: Paint): readonly string[] =>
  decisions.flatMap(({ about, recorded, derived }) => [
    paint('strong', about),
    `  ${paint('bad', '-')} ${recorded === null ? 'not decided' : printedJson(recorded)}`,
    `  ${paint('good', '+')} ${derived === null ? 'not decided' : printedJson(derived)}`,
  ]);

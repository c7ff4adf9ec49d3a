import type { Ajv, Options, ValidateFunction } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json } from '../../model/json/json.ts';
import { linearPattern } from './linear-pattern.ts';
import { UNIQUE_ITEMS } from './unique-items.ts';

/**
 * The work of one check. Both the schema and the value may come from outside: recursive references can visit a value
 * exponentially often, and a long text can be compared with many patterns.
 */
class Work {
  #steps = 0;
  #matching = 0;

  /** Called by every compiled function of a schema. */
  step(): void {
    this.#steps += 1;
    if (this.#steps > STEPS_MAX) throw new Error(`the check takes more than ${STEPS_MAX} steps`);
  }

  /** Called before a pattern of this size is compared with a text. */
  match(text: string, size: number): void {
    this.#matching += (text.length + 1) * size;
    if (this.#matching > MATCHING_MAX) throw new Error(`the patterns take more than ${MATCHING_MAX} steps`);
  }
}

const STEPS_MAX = 2_000_000;
/** The characters of all compared texts, each multiplied by the size of its pattern. A step takes some nanoseconds. */
const MATCHING_MAX = 268_435_456;
/** The size of all patterns of one schema. */
const PATTERNS_MAX = 100_000;

/** The check that runs now. A compiled pattern is only given the text, and a check runs to its end before the next. */
let running = new Work();

/** Runs a compiled check. Throws if it takes too much work. */
export function runBounded(validate: ValidateFunction, value: Json): boolean {
  running = new Work();
  return validate.call(running, value) === true;
}

/** The size of the patterns of the schema that is compiled now. */
let patterns = 0;

/** Compiles a schema. Throws if its patterns are too large. */
export function compileBounded(compile: () => ValidateFunction): ValidateFunction {
  patterns = 0;
  return compile();
}

/** Compiles a pattern for Ajv, which caches patterns by their text. */
const regExp = Object.assign(
  (source: string) => {
    const pattern = linearPattern(source);
    patterns += pattern.size;
    if (patterns > PATTERNS_MAX) throw new Error(`its patterns are larger than ${PATTERNS_MAX} steps together`);
    const test = (text: string): boolean => {
      running.match(text, pattern.size);
      return pattern.test(text);
    };
    return { test, toString: () => `linear:/${source}/` };
  },
  { code: 'linearPattern' },
);

/** Counts every call of a compiled function, references included, and matches patterns in linear time. */
export const BOUNDED_OPTIONS: Options = {
  passContext: true,
  code: { regExp: regExp as never, process: (code) => code.replace('={}){', '={}){this.step();') },
};

/** Bounds the keywords that compare the parts of a value with each other. */
export function withLinearKeywords<T extends Ajv | Ajv2020>(compiler: T): T {
  compiler.removeKeyword('uniqueItems');
  compiler.addKeyword(UNIQUE_ITEMS);
  return compiler;
}

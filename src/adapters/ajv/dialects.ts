import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Fault } from '../../model/fault/fault.ts';
import type { JsonObject } from '../../model/json/json.ts';
import { BOUNDED_OPTIONS, withLinearKeywords } from './bounded-check.ts';

/** The two dialects that tools actually use. A schema without `$schema` is read as the newer one. */
const DRAFT_2020_12 = 'https://json-schema.org/draft/2020-12/schema';

const DRAFT_07 = 'http://json-schema.org/draft-07/schema';

/**
 * Unknown keywords and `format` are annotations, as the standard says. `ownProperties` ignores inherited properties.
 * Nothing is coerced, filled in or removed.
 */
const OPTIONS: Options = {
  strict: false,
  strictNumbers: true,
  allErrors: true,
  ownProperties: true,
  validateFormats: false,
  logger: false,
};

type Make = new (options: Options) => Ajv | Ajv2020;

interface Dialect {
  /** Returns what is wrong with the schema itself, or null. */
  problemOf(schema: JsonObject): string | null;
  /** Returns a new compiler, so that the `$id`s of one tool do not resolve inside another's schema. */
  compiler(): Ajv | Ajv2020;
}

function dialect(make: Make): Dialect {
  let meta: Ajv | Ajv2020 | null = null;
  return {
    problemOf: (schema) => {
      meta ??= new make(OPTIONS);
      return meta.validateSchema(schema) === true ? null : meta.errorsText(meta.errors, { dataVar: '' });
    },
    compiler: () =>
      withLinearKeywords(new make({ ...OPTIONS, ...BOUNDED_OPTIONS, meta: false, validateSchema: false })),
  };
}

/** Finds the dialect of a schema. Built once per checker, because loading a dialect takes about 0.1 seconds. */
export function dialects(): (schema: JsonObject) => Dialect {
  const known: ReadonlyMap<unknown, Dialect> = new Map([
    [DRAFT_2020_12, dialect(Ajv2020)],
    [DRAFT_07, dialect(Ajv)],
  ]);
  return ({ $schema = DRAFT_2020_12 }) => {
    const found = known.get(typeof $schema === 'string' ? $schema.replace(/#$/, '') : $schema);
    if (found !== undefined) return found;
    const names = [...known.keys()].join(' and ');
    throw new Fault('input_invalid', `/$schema: ${JSON.stringify($schema)} is not supported; ${names} are`, {
      path: '/$schema',
    });
  };
}

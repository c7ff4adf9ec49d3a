const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Keywords that write, or might, anywhere in a statement. */
export const WRITING: ReadonlySet<string> = words(
  'insert update delete merge replace truncate drop alter create grant revoke call do copy into set exec execute lock load attach pragma vacuum',
);

/**
 * Keywords that structure a statement. Each ends an expression and has to appear where the grammar expects it, so every
 * position where a table could follow is either read as one or refused.
 */
export const STRUCTURE: ReadonlySet<string> = words(
  'select from where group having order limit offset fetch union except intersect minus join inner left right full outer cross natural straight_join apply on using into set values insert update delete merge with recursive table tables window qualify returning for lock procedure lateral unnest pivot unpivot tablesample call exec execute do copy attach pragma',
);

/** Keywords that are neither a table name nor an alias, although they do not structure the statement. */
export const NO_NAME: ReadonlySet<string> = words(
  'as and or not in is null like between case when then else end exists any all some distinct by asc desc over only',
);

/**
 * Keywords that are a complete statement on servers that need no semicolon. They are refused as unquoted names, because
 * such a server would run them as the next statement.
 */
export const STANDALONE_STATEMENTS: ReadonlySet<string> = words(
  'shutdown checkpoint reconfigure commit rollback return break continue revert begin go',
);

/** Keywords in an expression that a value may follow. */
export const INFIX: ReadonlySet<string> = words(
  'and or not in is like ilike between case when then else exists any all some distinct as escape collate at time zone div mod xor regexp rlike similar to glob over by from for order partition both leading trailing interval rows range groups first next',
);

/** Keywords in an expression that may follow a value. */
export const POSTFIX: ReadonlySet<string> = words(
  'end asc desc nulls last isnull notnull preceding following row only precision varying year quarter month week day hour minute second',
);

/** Keywords that turn the following text into a value, as in `date '2030-01-01'`. */
export const TYPED: ReadonlySet<string> = words('date time timestamp interval');

/** Keywords that are not a function call even if a bracket follows. */
export const NO_FUNCTION: ReadonlySet<string> = words(
  'in and or not exists any all some over as when then else case between like by distinct is',
);

/** Functions whose arguments are separated by keywords, as in `extract(year from placed_at)`. */
export const KEYWORD_ARGUMENT_FUNCTIONS: ReadonlySet<string> = words('extract substring trim');

/** The permitted keyword sequences of a join. */
export const JOINS: ReadonlySet<string> = new Set([
  'join',
  'straight_join',
  'inner join',
  'cross join',
  ...['left', 'right', 'full'].flatMap((side) => [`${side} join`, `${side} outer join`]),
  'natural join',
  'natural inner join',
  ...['left', 'right', 'full'].flatMap((side) => [`natural ${side} join`, `natural ${side} outer join`]),
]);

/** The keywords that occur in a join. */
export const JOIN_WORDS: ReadonlySet<string> = words('join straight_join inner cross left right full outer natural');

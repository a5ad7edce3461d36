/**
 * What a reader can do with tables and charts of a page: sort by a heading, search, filter, choose among blocks, and save
 * as CSV and SVG. Without it all rows and blocks are there; on paper they come back. Only so many rows stand in the page at a
 * time, since the browser lays out those that are shown: ten thousand would take a second for each letter that is typed.
 */
export const TABLE_SCRIPT = `
(() => {
  const SHOWN = 100, SEARCH_FROM = 8;
  const create = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };
  const textOf = (cell) => cell.querySelector('data')?.value ?? cell.textContent.replace(/\\s+/g, ' ').trim();
  const numberOf = (text) => {
    const match = /^[<=]?\\s*([+-]?\\d[\\d,]*(?:\\.\\d+)?(?:e[+-]?\\d+)?)/i.exec(text.replace(/\\u2212/g, '-'));
    return match ? Number(match[1].replace(/,/g, '')) : NaN;
  };
  const save = (name, type, text) => {
    const link = create('a', { href: URL.createObjectURL(new Blob([text], { type })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const guarded = (text) => (/^[=+@]|^-(?!\\d)/.test(text) ? "'" + text : text);
  const csvCell = (text) => (/[",\\r\\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text);
  const paper = [];

  for (const table of document.querySelectorAll('table[data-name]')) {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
    const box = table.closest('.scroll');
    const label = table.dataset.label || 'table';
    let found = rows, order = rows, shown = SHOWN, sorted = null;
    let texts;
    const columnTexts = new Map();
    const textIn = (row, column) => {
      if (!columnTexts.has(column)) columnTexts.set(column, new Map(rows.map((own) => [own, textOf(own.cells[column])])));
      return columnTexts.get(column).get(row);
    };
    const search = rows.length >= SEARCH_FROM && create('input', { type: 'search', placeholder: 'Search', ariaLabel: 'Search in ' + label });
    const filters = JSON.parse(table.dataset.filters || '[]').map(({ label: name, column, groups }) => {
      const values = groups ? Object.keys(groups) : [...new Set(rows.map((row) => textOf(row.cells[column])))].sort();
      if (values.length < 2) return null;
      const select = create('select', { ariaLabel: name }, create('option', { value: '', textContent: name + ': any' }), ...values.map((value) => create('option', { value, textContent: value || '(none)' })));
      select.dataset.filter = name;
      const accepts = (row, value) => {
        const text = textIn(row, column);
        return groups ? groups[value].includes(text) : text === value;
      };
      return { select, accepts };
    }).filter(Boolean);
    const count = create('output', {});
    const more = create('button', { type: 'button', className: 'more' });
    const csv = create('button', { type: 'button', textContent: 'CSV', title: 'Save the rows as CSV', ariaLabel: 'Save ' + label + ' as CSV' });

    const draw = (all) => {
      body.replaceChildren(...(all ? order : found.slice(0, shown)));
      const hidden = all ? 0 : found.length - Math.min(shown, found.length);
      more.hidden = hidden === 0;
      more.textContent = 'Show all ' + found.length + ' rows';
      count.textContent = found.length === rows.length ? (rows.length >= SEARCH_FROM ? rows.length + ' rows' : '') : found.length + ' of ' + rows.length + ' rows';
    };
    const index = () => {
      texts ??= new Map(rows.map((row) => [row, [...row.cells].map((cell) => cell.textContent).join(' ').toLowerCase()]));
    };
    // ready before the first letter is typed
    if (rows.length > SHOWN) requestIdleCallback(index, { timeout: 2000 });
    const apply = () => {
      index();
      const words = (search ? search.value : '').toLowerCase().split(/\\s+/).filter(Boolean);
      const active = filters.filter(({ select }) => select.selectedIndex > 0);
      found = order.filter((row) => words.every((word) => texts.get(row).includes(word)) && active.every(({ select, accepts }) => accepts(row, select.value)));
      shown = SHOWN;
      draw(false);
    };
    const sort = (column) => {
      const direction = sorted && sorted.column === column ? -sorted.direction : heads[column].classList.contains('number') && !heads[column].hasAttribute('data-rising') ? -1 : 1;
      sorted = { column, direction };
      const keys = new Map(rows.map((row) => [row, textIn(row, column)]));
      const numbers = new Map(rows.map((row) => [row, numberOf(keys.get(row))]));
      const isNumeric = heads[column].classList.contains('number');
      // what has no number stands last, whichever way
      const compare = (a, b) => {
        if (!isNumeric) return direction * keys.get(a).localeCompare(keys.get(b), 'en', { numeric: true });
        const [x, y] = [numbers.get(a), numbers.get(b)];
        if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
        return direction * (x - y);
      };
      order = [...rows].sort(compare);
      for (const head of heads) head.removeAttribute('aria-sort');
      heads[column].setAttribute('aria-sort', direction > 0 ? 'ascending' : 'descending');
      apply();
    };

    if (rows.length > 1)
      heads.forEach((head, column) => {
        if (head.colSpan > 1) return;
        const button = create('button', { type: 'button', className: 'sort' }, ...head.childNodes);
        button.addEventListener('click', () => sort(column));
        head.append(button);
      });
    csv.addEventListener('click', () => {
      const lines = [heads.map((head) => head.textContent.replace(/\\s+/g, ' ').trim()), ...found.map((row) => [...row.cells].map(textOf))];
      save(table.dataset.name + '.csv', 'text/csv', lines.map((cells) => cells.map((cell) => csvCell(guarded(cell))).join(',')).join('\\n') + '\\n');
    });
    if (search) search.addEventListener('input', apply);
    for (const { select } of filters) select.addEventListener('change', apply);
    more.addEventListener('click', () => { shown = Infinity; draw(false); });
    const tools = create('div', { className: 'tools table-tools' }, ...(search ? [search] : []), ...filters.map(({ select }) => select), count, csv);
    tools.setAttribute('role', 'group');
    tools.setAttribute('aria-label', 'Tools of ' + label);
    box.before(tools);
    box.after(more);
    draw(false);
    paper.push(draw);
  }

  for (const figure of document.querySelectorAll('figure.chart')) {
    const button = create('button', { type: 'button', className: 'save', textContent: 'SVG', title: 'Save the chart as SVG' });
    button.setAttribute('aria-label', 'Save as SVG: ' + figure.querySelector('h3').textContent);
    button.addEventListener('click', () => {
      const drawn = figure.querySelector('.plot svg');
      if (!drawn) return;
      const style = getComputedStyle(document.documentElement);
      const copy = drawn.cloneNode(true);
      copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
      const text = new XMLSerializer().serializeToString(copy).replace(/var\\((--[\\w-]+)\\)/g, (_, name) => style.getPropertyValue(name).trim());
      save((figure.querySelector('.plot').id || 'chart') + '.svg', 'image/svg+xml', text);
    });
    figure.append(button);
  }

  for (const group of document.querySelectorAll('[data-choices]')) {
    const blocks = [...group.querySelectorAll('[data-choice]')];
    const select = create('select', {}, ...blocks.map((block) => create('option', { value: block.dataset.choice, textContent: block.dataset.choice })));
    const choose = (all) => {
      for (const block of blocks) block.hidden = !all && block.dataset.choice !== select.value;
      dispatchEvent(new Event('resize')); // charts take the width that they have now
    };
    select.dataset.filter = group.dataset.choices;
    select.addEventListener('change', () => choose(false));
    group.prepend(create('div', { className: 'tools' }, create('label', {}, group.dataset.choices + ' ', select)));
    paper.push(choose);
    // charts are laid out before their block is hidden
    document.addEventListener('charts', () => choose(false), { once: true });
    if (!document.getElementById('chart-specs')) choose(false);
  }

  const print = matchMedia('print');
  const turn = (isPaper) => paper.forEach((draw) => draw(isPaper));
  print.addEventListener('change', (event) => turn(event.matches));
  addEventListener('beforeprint', () => turn(true));
  addEventListener('afterprint', () => turn(false));
  document.documentElement.dataset.tables = 'ready';
})();
`;

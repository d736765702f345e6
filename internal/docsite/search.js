// The pages are whole without this: it only adds the search.
(() => {
  const root = document.currentScript.src.replace(/search\.js$/, '');
  const plain = text => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const [words, found, page, results, contents] =
    ['words', 'found', 'page', 'results', 'contents'].map(id => document.getElementById(id));
  const texts = sections.map(({page, heading, text}) => [plain(page + ' ' + heading), plain(text)]);

  const part = ({href, page, heading, text}, word) => {
    const place = Math.max(0, plain(text).indexOf(word) - 60);
    const article = document.createElement('article'), title = document.createElement('h3');
    const link = document.createElement('a'), excerpt = document.createElement('p');
    link.href = root + href;
    link.textContent = page === heading ? page : `${page}: ${heading}`;
    excerpt.textContent = (place ? '… ' : '') + text.slice(place, place + 220);
    title.append(link);
    article.append(title, excerpt);
    return article;
  };
  const search = () => {
    const wanted = plain(words.value).split(/\s+/).filter(Boolean);
    const titled = [], others = [];
    sections.forEach((section, i) => {
      const [title, text] = texts[i];
      if (!wanted.every(word => title.includes(word) || text.includes(word))) return;
      (wanted.every(word => title.includes(word)) ? titled : others).push(section);
    });
    const all = wanted.length ? [...titled, ...others] : [];
    results.replaceChildren(...all.slice(0, 50).map(section => part(section, wanted[0])));
    page.hidden = wanted.length > 0;
    results.hidden = !page.hidden;
    found.textContent = wanted.length ? `${all.length} found` : '';
  };
  const clear = () => { words.value = ''; search(); };

  words.addEventListener('input', search);
  results.addEventListener('click', event => { if (event.target.closest('a')) clear(); });
  document.addEventListener('keydown', event => {
    if (event.key === '/' && event.target !== words && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      words.focus();
    } else if (event.target === words && event.key === 'Escape') {
      clear();
    } else if (event.target === words && event.key === 'Enter') {
      results.querySelector('a')?.click();
    }
  });
  contents.open = matchMedia('(min-width: 64rem)').matches;
  document.querySelector('nav [aria-current]')?.scrollIntoView({block: 'nearest'});
  document.getElementById('search').hidden = false;
})();

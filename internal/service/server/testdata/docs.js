// The page is whole without this: it only adds the search, and the address of this server.
(() => {
  const plain = text => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const words = document.getElementById('words'), found = document.getElementById('found');
  const contents = document.getElementById('contents');
  const parts = [...document.querySelectorAll('article')].map(article => {
    const entry = document.querySelector(`nav a[href="#${article.getAttribute('aria-labelledby')}"]`);
    return {article, entry, text: plain(article.textContent)};
  });
  const search = () => {
    const wanted = plain(words.value).split(/\s+/).filter(Boolean);
    let matches = 0;
    for (const {article, entry, text} of parts) {
      const match = wanted.every(word => text.includes(word));
      article.hidden = entry.parentElement.hidden = !match;
      matches += match;
    }
    for (const group of document.querySelectorAll('section, nav > ul > li'))
      group.hidden = !group.querySelector('article:not([hidden]), li:not([hidden])');
    found.textContent = wanted.length ? `${matches} of ${parts.length} match` : '';
    if (wanted.length) contents.open = true;
  };
  words.addEventListener('input', search);
  document.addEventListener('keydown', event => {
    if (event.key === '/' && event.target !== words && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      words.focus();
    } else if (event.target === words && event.key === 'Escape') {
      words.value = '';
      search();
    } else if (event.target === words && event.key === 'Enter') {
      const first = parts.find(({article}) => !article.hidden);
      if (first) first.entry.click();
    }
  });
  // A link to what the search hides shows it.
  addEventListener('hashchange', () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && target.closest('[hidden]')) {
      words.value = '';
      search();
      target.scrollIntoView();
    }
  });
  const begin = document.getElementById('begin');
  begin.textContent = begin.textContent.replace('https://ativa.example.com', new URL('.', location).href.slice(0, -1));
  contents.open = matchMedia('(min-width: 64rem)').matches;
  document.getElementById('search').hidden = false;
})();

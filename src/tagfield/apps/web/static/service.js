// The service: requests with the token, and errors as sentences.
const SAVED = "tagfield-token";

export class Refused extends Error {}

function askToken() {
  const dialog = document.getElementById("ask");
  if (!dialog.open) dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => {
    sessionStorage.setItem(SAVED, document.getElementById("token").value);
    resolve();
  }, { once: true }));
}

export async function call(path, body = undefined, signal = undefined) {
  const headers = { "content-type": "application/json" };
  const token = sessionStorage.getItem(SAVED);
  if (token) headers.authorization = `Bearer ${token}`;
  let answer;
  try {
    answer = await fetch(path, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused("The service does not answer. Is it still running?");
  }
  if (answer.status === 401 && document.getElementById("ask")) {
    await askToken();
    return call(path, body, signal);
  }
  let record = null;
  try {
    record = await answer.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
  }
  if (!answer.ok || record === null) throw new Refused(record?.error ?? `The service answered ${answer.status}.`);
  return record;
}

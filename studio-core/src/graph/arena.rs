//! Append-only storage whose items are named by typed handles.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::Index;

/// Names an item of an [`Arena`]. Smaller handles were appended earlier.
pub struct Handle<T> {
    index: u32,
    item: PhantomData<fn() -> T>,
}

impl<T> Handle<T> {
    /// The handle of the item at `index` of an arena, whether or not there is one.
    pub fn from_index(index: usize) -> Self {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        Self { index, item: PhantomData }
    }

    /// The item's place in its arena, counted from 0.
    pub fn index(self) -> usize {
        self.index as usize
    }
}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Handle<T> {}

impl<T> PartialEq for Handle<T> {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
    }
}

impl<T> Eq for Handle<T> {}

impl<T> PartialOrd for Handle<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Handle<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.index.cmp(&other.index)
    }
}

impl<T> Hash for Handle<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.index.hash(state);
    }
}

impl<T> fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.index)
    }
}

/// Items in the order in which they were appended.
#[derive(Debug, Clone, PartialEq)]
pub struct Arena<T> {
    items: Vec<T>,
}

impl<T> Arena<T> {
    /// Adds an item.
    ///
    /// # Panics
    /// At 2³² − 1 items, for which nothing here has the memory.
    pub fn append(&mut self, item: T) -> Handle<T> {
        assert!(self.items.len() < u32::MAX as usize, "an arena's handles are 32 bits wide");
        let handle = Handle::from_index(self.items.len());
        self.items.push(item);
        handle
    }

    /// The item, or `None` for a handle of another arena that reaches past this one's end.
    pub fn get(&self, handle: Handle<T>) -> Option<&T> {
        self.items.get(handle.index())
    }

    /// The item, to change it while its arena is being filled.
    ///
    /// # Panics
    /// For a handle that reaches past the arena's end.
    pub(super) fn get_mut(&mut self, handle: Handle<T>) -> &mut T {
        &mut self.items[handle.index()]
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All items, in order.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// All items with their handles, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Handle<T>, &T)> {
        self.items.iter().enumerate().map(|(index, item)| (Handle::from_index(index), item))
    }
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self { items: Vec::new() }
    }
}

impl<T> Index<Handle<T>> for Arena<T> {
    type Output = T;

    /// # Panics
    /// For a handle that reaches past the arena's end.
    fn index(&self, handle: Handle<T>) -> &T {
        &self.items[handle.index()]
    }
}
